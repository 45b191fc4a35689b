/*
 * Runs in which a remedy has to stand: the one that failed, and others that choose at random.
 */
#include "mender.h"

#include <inttypes.h>

#include "common/budget.h"

#define SPEND  10.0 /* seconds for them, which few need: the load should not decide */
#define SAMPLE 30.0 /* the same where output is compared: the load must not decide */

/* Two failures of one program: is this one another finding's? */
static bool is_of_another(const struct hd_mender *r, const struct hd_failure *failure)
{
	const struct hd_campaign *c = r->c;

	for (size_t i = 0; i < c->nattempts + c->nharm; i++) {
		const struct hd_witness *w =
			i < c->nattempts ? &c->attempts[i].witness : &c->harm[i - c->nattempts];

		if (w->trial && w != r->witness && hd_same_failure(&w->failure, failure))
			return true;
	}
	return false;
}

static bool races_on_it(const struct hd_mender *r, const struct hd_run *run)
{
	uint64_t addr = r->f->location.addr, size = r->f->location.size;

	for (size_t i = 0; r->f->kind == HD_KIND_RACE && i < run->nfindings; i++) {
		const struct hd_finding *g = &run->findings[i];

		if (g->kind == HD_KIND_RACE && !g->certainty.candidate &&
		    g->location.addr < addr + (size ? size : 1) &&
		    addr < g->location.addr + (g->location.size ? g->location.size : 1))
			return true;
	}
	return false;
}

/* Is what was unusual in the run that failed no longer so, now that @t has written what it has? */
static bool is_usual_by(struct hd_mender *r, struct hd_trial *t)
{
	char why[sizeof(r->witness->failure.words)];

	hd_normal_add(&r->normal, &t->behaviour, true);
	return !hd_normal_is_odd(&r->normal, &r->witness->trial->behaviour, why, sizeof(why));
}

static bool fails(struct hd_mender *r, struct hd_trial *t)
{
	struct hd_failure failure = hd_campaign_failure(r->c, t);

	if (r->by_output ? is_usual_by(r, t)
			 : hd_campaign_fails_alike(r->c, &r->witness->failure, t))
		return true;
	if (races_on_it(r, &t->run))
		return true;
	return failure.what != HD_FAIL_NONE && failure.what != HD_FAIL_OUTPUT &&
	       !hd_campaign_is_stalled(r->c, t) && !is_of_another(r, &failure);
}

/* The failing schedule, or, if @by, the runs that an exploration calls faults. */
static bool try_next(void *arg, size_t i, struct hd_trial *t)
{
	struct hd_mender *r = arg;

	if (i >= (r->by ? r->by->nfaults : 1))
		return false;
	if (r->by) {
		*t = hd_search_trial(r->by, i);
		return true;
	}
	*t = hd_campaign_fine_trial(r->c);
	t->follow = HD_POLICY_SEGMENTS;
	t->segments = r->schedule.list;
	t->nsegments = r->schedule.n;
	return true;
}

static bool try_take(void *arg, size_t i, struct hd_trial *t)
{
	struct hd_mender *r = arg;

	r->c->executions++;
	r->fails |= !t->trace || hd_trial_was_ended(t) || fails(r, t);
	return !r->fails;
}

static bool run_well(struct hd_mender *r)
{
	struct hd_trials trials = {
		.program = &r->c->program, .arg = r, .next = try_next, .take = try_take
	};
	bool early = hd_campaign_ended_early(r->c, hd_trials_run(&trials, &r->c->pool));

	if (trials.rc != HD_OK)
		r->rc = trials.rc;
	return r->rc == HD_OK && !early && !r->fails;
}

/* Schedules in one of several ways: does any fail? */
static bool search_well(struct hd_mender *r, enum hd_strategy strategy)
{
	struct hd_search s = { .strategy = strategy,
			       .executions = HD_MEND_RUNS,
			       .seconds = hd_budget_share(SPEND),
			       .keep_going = true,
			       .untold = true };
	uint64_t before = r->c->executions;
	bool well;

	r->rc = hd_search(r->c, &s);
	r->ran += (unsigned)(r->c->executions - before);
	r->by = &s;
	well = r->rc == HD_OK && run_well(r);
	r->by = NULL;
	hd_search_free(&s);
	return well;
}

/*
 * The same where an exploration sees no fault: in what the program writes, its status, or what the oracle says.
 */
static bool sample_next(void *arg, size_t i, struct hd_trial *t)
{
	struct hd_mender *r = arg;

	if (i == 2 * HD_MEND_RUNS || hd_now() > r->until)
		return false;
	*t = i & 2 ? hd_campaign_fine_trial(r->c) : hd_campaign_trial(r->c);
	t->run_as.policy = i & 1 ? HD_POLICY_PCT : HD_POLICY_RANDOM;
	t->run_as.seed = i / 4 + 1;
	t->run_as.early = false;
	return true;
}

static bool sample_take(void *arg, size_t i, struct hd_trial *t)
{
	struct hd_mender *r = arg;

	r->ran++;
	return try_take(r, i, t);
}

static bool sample_well(struct hd_mender *r)
{
	struct hd_trials trials = {
		.program = &r->c->program, .arg = r, .next = sample_next, .take = sample_take
	};
	bool early;

	r->until = hd_now() + hd_budget_share(SAMPLE);
	early = hd_campaign_ended_early(r->c, hd_trials_run(&trials, &r->c->pool));
	if (trials.rc != HD_OK)
		r->rc = trials.rc;
	return r->rc == HD_OK && !early && !r->fails;
}

/* It is in memory that the program was given, which need not be there in every run. */
static bool is_given(const struct hd_mender *r, uint64_t lock)
{
	return lock != HD_NEW_LOCK && !hd_run_module_at(r->run, lock);
}

static bool needs_given(const struct hd_mender *r)
{
	bool any = r->c->base.again && is_given(r, r->f->accesses[0].event.addr);

	for (size_t i = 0; i < r->nsections; i++)
		any |= is_given(r, r->sections[i].lock);
	return any;
}

static bool chance_well(struct hd_mender *r)
{
	/* Explorations have what the program is given at other addresses. */
	if (r->witness->failure.what != HD_FAIL_FINDING || needs_given(r))
		return sample_well(r);
	/* What fails in few schedules is seldom met by chance. */
	return search_well(r, HD_STRATEGY_DPOR) && search_well(r, HD_STRATEGY_PCT) &&
	       search_well(r, HD_STRATEGY_RANDOM);
}

/* With what is to be tried: do all runs come to a good end? */
bool hd_mender_goes_well(struct hd_mender *r)
{
	bool well;

	r->ran = 1;
	r->fails = false;
	r->ways++;
	if (r->by_output) {
		hd_normal_free(&r->normal);
		if (!hd_normal_copy(&r->normal, &r->c->normal)) {
			r->rc = hd_error(HD_ERR_NOMEM, "out of memory");
			return false;
		}
	}
	well = run_well(r) && chance_well(r);
	r->unrefuted |= well;
	return well && r->ran > HD_MEND_RUNS;
}

bool hd_mender_stands(struct hd_mender *r)
{
	size_t len = 0;
	bool well;

	for (size_t i = 0; i < r->nsections; i++) {
		const struct hd_mend_section *s = &r->sections[i];

		len += (size_t)snprintf(r->hold + len, sizeof(r->hold) - len,
					"%s%" PRIx64 ",%" PRIx64 ",%" PRIx64 ",%x", i ? ";" : "",
					s->lock | is_given(r, s->lock), s->from, s->to, s->up);
	}
	r->c->base.hold = r->hold;
	well = hd_mender_goes_well(r);
	r->c->base.hold = NULL;
	return well;
}
