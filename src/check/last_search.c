/*
 * What no candidate and no exchange has shown may still be there: it may need several steps in an order
 * that no single question is about. So a short exploration comes last: of every order of conflicting
 * operations as far as it gets, and of random priorities and random orders if that is not all of them.
 */
#include "steps.h"

#include <string.h>

#include "common/budget.h"
#include "common/array.h"
#include "common/listener.h"
#include "explore/search.h"

#define SPEND 3.0 /* seconds for all, or as long as everything before took */
#define AGAIN 2u  /* times that a failing run must fail again */

static const struct {
	enum hd_strategy strategy;
	uint64_t executions;
} ways[] = {
	{ HD_STRATEGY_AUTO, 2000 },
	{ HD_STRATEGY_PCT, 300 },
	{ HD_STRATEGY_RANDOM, 300 },
};
#define WAYS (sizeof(ways) / sizeof(ways[0]))

struct showing {
	struct hd_campaign *c;
	const struct hd_search *by;
	size_t fault;
	struct hd_witness witness; /* its trial is NULL: the run shows nothing that counts */
	unsigned again;
	enum hd_err rc;
};

static bool show_next(void *arg, size_t i, struct hd_trial *t)
{
	struct showing *s = arg;

	if (i > AGAIN || (i && !s->witness.trial))
		return false;
	*t = hd_search_trial(s->by, s->fault);
	return true;
}

/* A race that an exploration meets was not there before, or this step would not have been reached. */
static struct hd_failure race_in(const struct hd_trial *t)
{
	struct hd_failure out = { .what = HD_FAIL_NONE };

	for (size_t i = 0; t->trace && i < t->run.nfindings; i++) {
		const struct hd_finding *f = &t->run.findings[i];

		if (f->kind != HD_KIND_RACE || f->certainty.candidate)
			continue;
		out.what = HD_FAIL_FINDING;
		out.kind = HD_KIND_RACE;
		memcpy(out.id, f->identity.id, sizeof(out.id));
		hd_fault_key(f, out.place);
		return out;
	}
	return out;
}

static bool show_take(void *arg, size_t i, struct hd_trial *t)
{
	struct showing *s = arg;
	struct hd_failure failure = hd_campaign_failure(s->c, t);

	s->c->executions++;
	if (i) {
		s->again += hd_campaign_fails_alike(s->c, &s->witness.failure, t);
		return true;
	}
	if (failure.what == HD_FAIL_OUTPUT)
		failure.what = HD_FAIL_NONE;
	if (failure.what != HD_FAIL_NONE && hd_campaign_stalled(s->c, t))
		return false;
	if (failure.what == HD_FAIL_NONE)
		failure = race_in(t);
	if (failure.what == HD_FAIL_NONE)
		return false;
	s->witness = (struct hd_witness){ .failure = failure, .trial = hd_trial_keep(t) };
	if (!s->witness.trial)
		s->rc = hd_error(HD_ERR_NOMEM, "out of memory");
	return s->rc == HD_OK;
}

/* Run fault @i as it was found; if it fails, and again, it is a finding of the report. */
static enum hd_err show(struct hd_campaign *c, const struct hd_search *by, size_t i)
{
	struct showing s = { .c = c, .by = by, .fault = i };
	struct hd_trials trials = {
		.program = &c->program, .arg = &s, .next = show_next, .take = show_take
	};
	struct hd_pool pool = c->pool;
	enum hd_err rc;

	pool.jobs = 1; /* whether it is to come again, the first one says */
	hd_campaign_ended_early(c, hd_trials_run(&trials, &pool));
	rc = trials.rc != HD_OK ? trials.rc : s.rc;
	if (rc == HD_OK && s.again == AGAIN && !HD_ROOM(c->harm, c->harm_room, c->nharm + 1))
		rc = hd_error(HD_ERR_NOMEM, "out of memory");
	if (rc != HD_OK || s.again < AGAIN) {
		hd_witness_free(&s.witness);
		return rc;
	}
	s.witness.steady = true;
	c->harm[c->nharm++] = s.witness;
	return hd_campaign_adopt_run(c, &c->harm[c->nharm - 1]);
}

static bool has_found(const struct hd_campaign *c, size_t before)
{
	return hd_run_faults(&c->observations[0].trial->run) > before;
}

static bool is_over(const struct hd_campaign *c)
{
	return c->out_of_time || c->interrupted || c->out_of_memory;
}

static enum hd_err search(struct hd_campaign *c, struct hd_search *s)
{
	enum hd_err rc = hd_search(c, s);

	for (size_t i = 0; i < s->nfaults && rc == HD_OK && !is_over(c); i++)
		rc = show(c, s, i);
	return rc;
}

/*
 * The first fault may be one that does not count, as the program always fails so, or only if a thread stands
 * still for long: then there may be others.
 */
static enum hd_err search_one_way(struct hd_campaign *c, size_t way, double until, bool *complete)
{
	size_t before = hd_run_faults(&c->observations[0].trial->run);
	bool again = c->config->keep_going;
	struct hd_search s;
	enum hd_err rc;

	for (;;) {
		s = (struct hd_search){ .strategy = ways[way].strategy,
					.executions = ways[way].executions,
					.seconds = until - hd_now(),
					.keep_going = again };
		if (s.seconds <= 0)
			return HD_OK;
		rc = search(c, &s);
		*complete = s.complete;
		again |= !s.nfaults || has_found(c, before) || is_over(c);
		hd_search_free(&s);
		if (rc != HD_OK || again)
			return rc;
		again = true;
	}
}

enum hd_err hd_check_search(struct hd_campaign *c)
{
	double took = hd_now() - c->began,
	       until = hd_now() + hd_budget_share(took > SPEND ? took : SPEND);
	size_t before = hd_run_faults(&c->observations[0].trial->run);
	bool complete = false;
	enum hd_err rc = HD_OK;

	if (!c->analysed || c->first_unfinished || (before && !c->config->keep_going))
		return HD_OK;
	for (size_t i = 0; i < WAYS && rc == HD_OK && !complete && !is_over(c); i++) {
		if (!hd_check_is_ours(c, i))
			continue;
		rc = search_one_way(c, i, until, &complete);
		if (has_found(c, before))
			break;
	}
	return rc == HD_OK ? hd_campaign_weigh_races(c) : rc;
}
