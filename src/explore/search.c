#include "search.h"

#include <stdlib.h>

#include "exploration.h"

#define DEPTH 10000u /* decisions */
#define SPINS 100u   /* rounds of a waiting loop */
#define LIMIT 2.0    /* seconds for an execution, where those before took less */

static struct hd_explore_config config_of(const struct hd_campaign *c, const struct hd_search *s)
{
	struct hd_explore_config config = {
		.campaign = *c->config,
		.strategy = s->strategy,
		.match = HD_MATCH_YES,
		.snapshots = HD_SNAP_AUTO,
		.preemptions = 2,
		.depth = DEPTH,
		.spins = SPINS,
		.executions = s->executions,
	};

	config.campaign.outputs.seconds = s->seconds;
	config.campaign.keep_going = s->keep_going;
	config.campaign.part = config.campaign.parts = 0; /* who has parts has dealt out searches */
	if (!config.campaign.jobs)
		config.campaign.jobs = 1;
	return config;
}

void hd_exploration_borrow(struct hd_exploration *x, const struct hd_campaign *c)
{
	x->c.config = &x->config->campaign;
	x->c.base = c->base;
	x->c.program = c->program;
	x->c.began = c->began;
	x->c.pool = c->pool;
	x->searching = true;
}

static bool is_complete(struct hd_exploration *x, struct hd_campaign *c)
{
	struct hd_run *run = &c->observations[0].trial->run;

	hd_run_find_unhooked(run);
	if (run->unhooked.n)
		x->uses |= HD_X_USES_UNHOOKED;
	return !x->nfaults && !hd_exploration_why_stopped(x);
}

enum hd_err hd_search(struct hd_campaign *c, struct hd_search *s)
{
	const struct hd_explore_config config = config_of(c, s);
	struct hd_exploration *x = calloc(1, sizeof(*x));
	enum hd_err err;

	s->by = x;
	s->nfaults = 0;
	s->complete = false;
	if (!x)
		return hd_error(HD_ERR_NOMEM, "out of memory");
	x->config = &config;
	hd_exploration_borrow(x, c);
	hd_exploration_choose(x);
	x->limit = LIMIT + 10 * c->observations[0].trial->told->seconds;
	err = hd_exploration_explore(x);
	c->executions += x->c.executions;
	c->interrupted |= x->c.interrupted;
	hd_campaign_look_at_budget(c);
	if (err == HD_ERR_NOMEM)
		return err;
	/* A timer that is late only because it was not tried in time is no fault of the program. */
	s->nfaults = x->uses & HD_X_USES_TIMERS ? 0 : x->nfaults;
	if (!err && is_complete(x, c)) {
		s->complete = true;
		if (!s->untold)
			hd_exploration_tell_proof(x, c);
	}
	x->config = NULL; /* that was for here */
	x->c.config = NULL;
	return HD_OK;
}

struct hd_trial hd_search_trial(const struct hd_search *s, size_t i)
{
	const struct hd_fault *f = &s->by->faults[i];
	struct hd_trial t = hd_campaign_trial(&s->by->c);

	t.follow = HD_POLICY_REPLAY;
	hd_where_put(&t.run_as, &f->at);
	t.choices = f->choices;
	t.nchoices = f->nchoices;
	return t;
}

void hd_search_free(struct hd_search *s)
{
	if (s->by) {
		s->by->c.program.input = 0; /* it is the campaign's */
		hd_exploration_free(s->by);
	}
	free(s->by);
	s->by = NULL;
}
