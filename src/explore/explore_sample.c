/*
 * Programs that do not do the same under the same schedule, because a client, another process or
 * a device has a say in it. There is no way to explore them, but they can be run in many orders.
 * Each run is recorded as it happens: what one of them shows need not come again.
 */
#include "exploration.h"

#include <stdlib.h>
#include <string.h>

#include "common/budget.h"
#include "common/interrupts.h"
#include "common/listener.h"

#define RUNS 100 /* where there is no budget */

/* Strategies that promise nothing, and so can be kept up. */
bool hd_exploration_may_sample(const struct hd_exploration *x)
{
	enum hd_strategy asked = x->config->strategy;

	return asked == HD_STRATEGY_AUTO || asked == HD_STRATEGY_PCT || asked == HD_STRATEGY_RANDOM;
}

static enum hd_policy_word policy_of(const struct hd_exploration *x, size_t i)
{
	enum hd_strategy asked = x->config->strategy;

	if (asked == HD_STRATEGY_AUTO)
		return i % 2 ? HD_POLICY_PCT : HD_POLICY_RANDOM;
	return asked == HD_STRATEGY_PCT ? HD_POLICY_PCT : HD_POLICY_RANDOM;
}

static bool next_run(void *arg, size_t i, struct hd_trial *t)
{
	struct hd_exploration *x = arg;
	uint64_t most = x->how.max_executions;

	if (!most && x->how.max_seconds <= 0)
		most = RUNS;
	if (most && i >= most) {
		x->stats.stopped = x->how.max_executions ? "executions" : NULL;
		return false;
	}
	if (hd_progress_due())
		hd_progress_show("run %zu", i + 1);
	*t = hd_campaign_trial(&x->c);
	t->run_as.switch_at = x->config->campaign.run.switch_at;
	t->run_as.policy = policy_of(x, i);
	t->run_as.seed = x->how.seed + i;
	return true;
}

static bool take_run(void *arg, size_t i, struct hd_trial *t)
{
	struct hd_exploration *x = arg;

	x->sampled++;
	x->c.executions++;
	if (!t->trace)
		return true; /* it was ended before it did anything */
	x->no_memory = x->c.nobservations ? !hd_campaign_keep_extra(&x->c, t)
					  : !hd_campaign_keep_observation(&x->c, t);
	return !x->no_memory && (x->keep_going || !x->c.told.n);
}

/* The report needs a run, even if the time is over. */
static void sample_for_report(struct hd_exploration *x, struct hd_trials *trials)
{
	const struct hd_pool pool = {
		.jobs = 1, .unfinished = true, .until = hd_budget_last(), .limit = HD_RUN_LIMIT
	};
	const uint64_t most = x->how.max_executions;

	x->how.max_executions = 1;
	hd_trials_run(trials, &pool);
	x->how.max_executions = most;
}

enum hd_err hd_exploration_sample(struct hd_exploration *x)
{
	struct hd_trials trials = {
		.program = &x->c.program, .arg = x, .next = next_run, .take = take_run
	};
	struct hd_pool pool = x->c.pool;
	enum hd_pool_why why;

	x->stats = (struct hd_xstats){ 0 };
	pool.unfinished = true;
	why = hd_trials_run(&trials, &pool);
	x->c.interrupted = why == HD_POOL_INTERRUPTED;
	hd_interrupts_forget();
	if (trials.rc == HD_OK && !x->no_memory && !x->c.nobservations && !x->c.interrupted)
		sample_for_report(x, &trials);
	hd_progress_clear();
	if (trials.rc != HD_OK)
		return trials.rc;
	if (x->no_memory)
		return hd_error(HD_ERR_NOMEM, "out of memory");
	if (why == HD_POOL_TIME)
		x->stats.stopped = "time";
	return x->c.nobservations ? HD_OK : hd_campaign_has_nothing(&x->c);
}
