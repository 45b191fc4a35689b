#include "helpers.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/interrupts.h"
#include "common/listener.h"
#include "far_predictions.h"
#include "greeting.h"
#include "launch/program_file.h"
#include "ranks/launched_ranks.h"
#include "trial_bytes.h"

/* What is told: the letter comes first. */
enum { TOLD_TRIAL = 'R' };

/* ---- those who help ---------------------------------------------------------------------- */

struct helper {
	const struct hd_program *program;
	struct hd_told_faults told;
	struct hd_far_runs runs;
};

static bool helper_told(void *arg, const char *bytes, size_t len, uint64_t *answer)
{
	struct helper *h = arg;

	if (len && bytes[0] == HD_TOLD_RUN)
		return hd_far_take_run(&h->runs, bytes + 1, len - 1);
	return len && bytes[0] == TOLD_TRIAL &&
	       hd_far_trial_look(h->program, bytes + 1, len - 1, answer);
}

static bool helper_job(void *arg, const char *bytes, size_t len, FILE *answer)
{
	struct helper *h = arg;

	if (len && bytes[0] == HD_JOB_PREDICTION)
		return hd_far_answer(&h->runs, bytes + 1, len - 1, answer);
	return len && bytes[0] == HD_JOB_TRIAL &&
	       hd_far_trial_run(h->program, bytes + 1, len - 1, &h->told, answer);
}

static void help(const struct hd_program *program, struct hd_ranks *ranks)
{
	struct helper h = { .program = program };
	const struct hd_hand hand = { .arg = &h, .told = helper_told, .job = helper_job };

	hd_listen(NULL);
	hd_interrupts_take();
	hd_crew_help(ranks, &hand);
	free(h.told.list);
	hd_far_runs_free(&h.runs);
}

static void help_forked(void *arg, struct hd_ranks *own)
{
	const struct hd_campaign *c = arg;

	help(&c->program, own);
}

/* A rank that a launcher has started. */
static enum hd_err help_launched(const struct hd_campaign_config *config, char **argv,
				 struct hd_ranks *ranks)
{
	struct hd_campaign c = { .config = config, .program = { .argv = argv } };
	enum hd_err err = HD_OK;
	size_t len = 0;
	char *text;

	while (argv[c.program.argc])
		c.program.argc++;
	c.program.oracle = config->oracle;
	hd_interrupts_take();
	text = hd_ranks_await(ranks, &len);
	if (text && hd_find_built_program(argv[0]) == HD_OK &&
	    hd_ranks_take_greeting(&c, text, len)) {
		hd_ranks_keep_files();
		help(&c.program, ranks);
	} else if (text) {
		err = hd_error(HD_ERR_REQUEST,
			       "rank %u has another program than rank 0, other options, or none",
			       ranks->rank);
		ranks->send(ranks->arg, 0, "E", 1);
	}
	free(text);
	if (c.program.input > 0)
		close(c.program.input);
	return err;
}

enum hd_err hd_campaign_lead(const struct hd_campaign_config *config, char **argv,
			     hd_campaign_lead_fn *lead, void *arg)
{
	struct hd_campaign_config own = *config;
	struct hd_ranks ranks;
	enum hd_err err;

	if (!hd_ranks_are_launched(config->mpi)) {
		err = config->parts ? HD_OK : hd_ranks_look_around(config->mpi);
		return err ? err : lead(arg, config);
	}
	if (config->nranks)
		return hd_error(HD_ERR_REQUEST, "--ranks is for one machine without MPI: the ranks "
						"are those that the launcher has started");
	err = hd_ranks_join(&ranks, config->mpi);
	if (err)
		return err;
	own.ranks = &ranks;
	if (ranks.rank)
		err = help_launched(config, argv, &ranks);
	else
		err = lead(arg, &own);
	ranks.end(ranks.arg);
	return err;
}

/* ---- the one who leads --------------------------------------------------------------------- */

enum hd_err hd_campaign_call_helpers(struct hd_campaign *c)
{
	const struct hd_campaign_config *o = c->config;

	if (o->nranks > HD_MOST_RANKS)
		return hd_error(HD_ERR_REQUEST, "--ranks must be from 1 to %u", HD_MOST_RANKS);
	if (o->ranks) {
		c->ranks = *o->ranks;
		c->ranks.end = NULL; /* somebody else's */
	} else if (o->nranks > 1 && !hd_ranks_fork(&c->ranks, o->nranks, help_forked, c)) {
		return hd_error(HD_ERR_SYSTEM, "no processes for --ranks %u", o->nranks);
	}
	if (o->ranks && hd_ranks_greet(o->ranks, c) != HD_OK)
		return HD_ERR_NOMEM;
	if (c->ranks.size < 2)
		return HD_OK;
	c->crew = hd_crew_new(&c->ranks);
	return c->crew ? HD_OK : hd_error(HD_ERR_NOMEM, "out of memory");
}

enum hd_err hd_campaign_show_helpers(struct hd_campaign *c, const struct hd_trial *t)
{
	const uint64_t look = c->crew && !t->changed_files ? hd_trial_look(t) : 0;
	unsigned jobs = c->crew ? 2 * hd_crew_hands(c->crew) : 0;
	size_t len;
	char *told;
	bool ok;

	if (!look || c->pool.crew || c->first_unfinished)
		return HD_OK;
	told = hd_trial_pack(t, 0, TOLD_TRIAL, &len);
	ok = told && hd_crew_tell(c->crew, told, len, &look);
	free(told);
	if (!ok)
		return hd_error(HD_ERR_NOMEM, "out of memory");
	c->pool.crew = c->crew;
	c->pool.jobs = jobs < 2 ? 2 : jobs > HD_POOL_AHEAD ? HD_POOL_AHEAD : jobs;
	return HD_OK;
}

void hd_campaign_note_helpers(struct hd_campaign *c)
{
	if (c->crew && hd_crew_strangers(c->crew))
		hd_campaign_note(
			c,
			"%u ranks did not help: the program does not do the same there, or has other "
			"addresses",
			hd_crew_strangers(c->crew));
}

void hd_campaign_dismiss_helpers(struct hd_campaign *c)
{
	hd_crew_free(c->crew);
	c->crew = c->pool.crew = NULL;
	if (c->ranks.end)
		c->ranks.end(c->ranks.arg);
	c->ranks = (struct hd_ranks){ 0 };
}
