#include "check.h"

#include <stdlib.h>

#include "campaign/helpers.h"
#include "common/listener.h"
#include "launch/program_file.h"
#include "steps.h"

static enum hd_err check(struct hd_campaign *c, const struct hd_recorded *from)
{
	enum hd_err rc =
		from ? hd_check_from_trace(c, from->schedule, from->path) : hd_check_observe(c);

	if (rc == HD_OK && c->nobservations)
		rc = hd_campaign_show_helpers(c, c->observations[0].trial);
	/* Where runs have no end, there is nothing that is normal. */
	if (rc == HD_OK && !c->first_unfinished)
		rc = hd_check_normal(c);
	/* Without time to try anything there is no need to know what could be tried. */
	if (rc == HD_OK && !c->out_of_time && !c->interrupted && !c->out_of_memory)
		rc = c->goals.n ? hd_check_goals(c) : hd_check_candidates(c);
	c->incomplete = !c->analysed || c->nattempts < c->goals.n;
	if (rc == HD_OK)
		rc = hd_check_sweep(c);
	if (rc == HD_OK && !c->goals.n)
		rc = hd_check_explain(c);
	if (rc == HD_OK)
		rc = hd_campaign_conclude(c);
	if (rc == HD_OK)
		rc = hd_campaign_weigh_races(c);
	/* Who has goals looks for nothing else. */
	if (rc == HD_OK && !c->goals.n)
		rc = hd_check_exchange(c);
	if (rc == HD_OK && !c->goals.n)
		rc = hd_check_search(c);
	if (rc == HD_OK)
		rc = hd_check_remedies(c);
	if (rc != HD_OK)
		return rc;
	hd_check_end_notes(c);
	hd_campaign_note_helpers(c);
	return hd_campaign_report(c);
}

enum hd_err hd_check_units(struct hd_campaign *c, struct hd_units *units)
{
	enum hd_err rc;

	c->command = "check";
	c->begins_orderly = true;
	c->units = units;
	rc = hd_campaign_set_up(c);
	if (rc != HD_OK)
		return rc;
	rc = hd_program_input(&c->program, c->config->standard_input);
	if (rc == HD_OK)
		rc = hd_check_observe(c);
	if (rc == HD_OK && !c->first_unfinished)
		rc = hd_check_normal(c);
	if (rc == HD_OK)
		rc = hd_check_candidates(c);
	if (rc == HD_OK)
		rc = hd_check_sweep(c);
	if (rc == HD_OK)
		rc = hd_campaign_conclude(c);
	hd_progress_clear();
	return hd_outputs_close(&c->outputs, rc);
}

enum hd_err hd_check_all(struct hd_campaign *c, const struct hd_recorded *from)
{
	enum hd_err rc;

	c->command = "check";
	c->begins_orderly = !c->config->chosen; /* unless the user has said otherwise */
	rc = hd_campaign_set_up(c);
	if (rc != HD_OK)
		return rc;
	rc = hd_check_load_goals(c, from != NULL);
	/* They may name functions; but a recorded run stays as it is, with the numbers of its events. */
	c->base.calls |= c->goals.n && !from;
	if (rc == HD_OK)
		rc = hd_program_input(&c->program, c->config->standard_input);
	if (rc == HD_OK)
		rc = hd_campaign_open_state(c);
	if (rc == HD_OK)
		rc = hd_campaign_call_helpers(c);
	if (rc == HD_OK) {
		hd_check_begin_part(c);
		rc = check(c, from);
	}
	hd_progress_clear();
	return hd_outputs_close(&c->outputs, rc);
}

struct asked {
	char **argv;
	const struct hd_recorded *from;
	enum hd_status *status;
};

static enum hd_err check_program(void *arg, const struct hd_campaign_config *config)
{
	const struct asked *asked = arg;
	struct hd_campaign *c = calloc(1, sizeof(*c));
	char **argv = asked->argv;
	enum hd_err err;

	if (!c)
		return hd_error(HD_ERR_NOMEM, "out of memory");
	c->config = config;
	c->program.argv = argv;
	while (argv[c->program.argc])
		c->program.argc++;
	err = hd_find_built_program(argv[0]);
	if (!err)
		err = hd_check_all(c, asked->from);
	*asked->status = c->status;
	hd_campaign_tear_down(c);
	free(c);
	return err;
}

enum hd_err hd_check_program(const struct hd_campaign_config *config, char **argv,
			     const struct hd_recorded *from, enum hd_status *status)
{
	struct asked asked = { argv, from, status };

	*status = HD_STATUS_CLEAN;
	return hd_campaign_lead(config, argv, check_program, &asked);
}
