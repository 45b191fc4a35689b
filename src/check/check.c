#include "check.h"

#include "common/listener.h"

static enum hd_err check(struct hd_check *c, const struct hd_recorded *from)
{
	enum hd_err rc = from ? hd_check_from_trace(c, from->schedule, from->path) : hd_check_observe(c);

	/* Where runs have no end, there is nothing that is normal. */
	if (rc == HD_OK && !c->first_unfinished)
		rc = hd_check_normal(c);
	/* Without time to try anything there is no need to know what could be tried. */
	if (rc == HD_OK && !c->out_of_time && !c->interrupted && !c->out_of_memory)
		rc = hd_check_candidates(c);
	if (rc == HD_OK)
		rc = hd_check_sweep(c);
	if (rc == HD_OK)
		rc = hd_check_report(c);
	return rc;
}

enum hd_err hd_check_all(struct hd_check *c, const struct hd_recorded *from)
{
	enum hd_err rc = hd_check_set_up(c);

	if (rc != HD_OK)
		return rc;
	rc = hd_program_input(&c->program, c->config->standard_input);
	if (rc == HD_OK)
		rc = check(c, from);
	hd_progress_clear();
	return hd_outputs_close(&c->outputs, rc);
}
