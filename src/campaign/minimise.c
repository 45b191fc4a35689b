/*
 * A failing run with as few preemptions as can be found, run again to be sure, and its file.
 */
#include "campaign.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shrink.h"
#include "sites.h"
#include "common/budget.h"
#include "common/path.h"
#include "findings/conclude.h"
#include "common/listener.h"
#include "report/printable.h"
#include "trace/segments.h"
#include "trace/trace_copy.h"
#include "trace/trace_format.h"

#define TRIES 400u /* runs that one minimisation may take */
#define AGAIN 2u   /* times that the result must fail when replayed */

static void drop_trial(struct hd_trial *t)
{
	if (t)
		hd_trial_free(t);
	free(t);
}

void hd_witness_free(struct hd_witness *w)
{
	drop_trial(w->trial);
	drop_trial(w->without);
	free(w->file);
	free(w->replay);
	free(w->remedy.text);
	*w = (struct hd_witness){ 0 };
}

struct hd_trial hd_campaign_fine_trial(const struct hd_campaign *c)
{
	struct hd_trial t = hd_campaign_trial(c);

	t.run_as.policy = HD_POLICY_RANDOM; /* what its trace says; it is replayed by choices */
	t.run_as.switch_at = HD_AT_ACCESSES;
	t.run_as.wide = true;
	t.run_as.last_exit = true; /* the program is not to end before the goal */
	return t;
}

/* ---- minimising ------------------------------------------------------------------------- */

struct work {
	struct hd_campaign *c;
	struct hd_witness *w;
	const struct hd_found *wanted;
	const struct hd_shrink *shrink;
	size_t n; /* variants of this round */
	struct variant {
		struct hd_segment *list;
		size_t n;
	} variants[HD_POOL_AHEAD];
	size_t hit;
	unsigned tries, before;		    /* in all, and before this round */
	const struct hd_schedule *schedule; /* when replaying */
	unsigned failed;
	enum hd_err rc;
};

/* Does the run show what the finding is about? Of a possible race or deadlock the failure itself does. */
static bool shows(struct work *k, const struct hd_trial *t)
{
	struct hd_errbuf eb = { 0 };
	struct hd_sites sites;
	bool found = true;

	if (!k->wanted || (!hd_found_is_pattern(k->wanted) && k->wanted->kind != HD_KIND_RACE &&
			   k->wanted->kind != HD_KIND_ORDER))
		return true;
	if (hd_sites_find(&sites, t->trace, k->wanted, &found, &eb) != HD_OK)
		return false;
	hd_sites_free(&sites);
	return found;
}

/* It fails in the same way without that; the last such run has the fewest preemptions. */
static void keep_without(struct work *k, struct hd_trial *t)
{
	if (!hd_failure_is_wait(&k->w->failure))
		return;
	drop_trial(k->w->without);
	k->w->without = hd_trial_keep(t);
	if (!k->w->without)
		k->rc = hd_error(HD_ERR_NOMEM, "out of memory");
}

static bool variant_next(void *arg, size_t i, struct hd_trial *t)
{
	struct work *k = arg;
	struct variant *v = &k->variants[i % HD_POOL_AHEAD];

	if (i >= k->n || k->before + i >= TRIES)
		return false;
	free(v->list);
	v->list = hd_shrink_variant(k->shrink, i, &v->n);
	if (!v->list) {
		k->rc = hd_error(HD_ERR_NOMEM, "out of memory");
		return false;
	}
	*t = hd_campaign_fine_trial(k->c);
	t->follow = HD_POLICY_SEGMENTS;
	t->segments = v->list;
	t->nsegments = v->n;
	return true;
}

static bool variant_take(void *arg, size_t i, struct hd_trial *t)
{
	struct work *k = arg;

	k->c->executions++;
	k->tries++;
	if (hd_progress_due())
		hd_progress_show("heddle: minimising, run %u of at most %u, %.0f a second",
				 k->tries, TRIES,
				 (double)k->c->executions / (hd_now() - k->c->began));
	if (!hd_campaign_fails_alike(k->c, &k->w->failure, t))
		return true;
	if (!shows(k, t)) {
		keep_without(k, t);
		return k->rc == HD_OK;
	}
	k->hit = i;
	return false;
}

static size_t first_failing(void *arg, const struct hd_shrink *s, size_t n)
{
	struct work *k = arg;
	struct hd_trials trials = {
		.program = &k->c->program, .arg = k, .next = variant_next, .take = variant_take
	};
	enum hd_pool_why why;

	k->shrink = s;
	k->n = n;
	k->hit = HD_SHRINK_NONE;
	k->before = k->tries;
	why = hd_trials_run(&trials, &k->c->pool);
	if (trials.rc != HD_OK)
		k->rc = trials.rc;
	if (k->rc != HD_OK || hd_campaign_ended_early(k->c, why))
		return HD_SHRINK_STOP;
	if (k->hit == HD_SHRINK_NONE && k->tries >= TRIES)
		return HD_SHRINK_STOP;
	return k->hit;
}

/* ---- once more ---------------------------------------------------------------------------- */

/* The run of @list becomes the witness. */
static bool segments_next(void *arg, size_t i, struct hd_trial *t)
{
	struct work *k = arg;

	*t = hd_campaign_fine_trial(k->c);
	t->follow = HD_POLICY_SEGMENTS;
	t->segments = k->variants[0].list;
	t->nsegments = k->variants[0].n;
	return i == 0;
}

static bool segments_take(void *arg, size_t i, struct hd_trial *t)
{
	struct work *k = arg;
	struct hd_trial *kept;

	k->c->executions++;
	if (!hd_campaign_fails_alike(k->c, &k->w->failure, t))
		return true;
	kept = hd_trial_keep(t);
	if (!kept)
		return true;
	drop_trial(k->w->trial);
	k->w->trial = kept;
	return true;
}

static bool again_next(void *arg, size_t i, struct hd_trial *t)
{
	struct work *k = arg;

	*t = hd_campaign_fine_trial(k->c);
	t->follow = HD_POLICY_REPLAY;
	t->choices = k->schedule->choices;
	t->nchoices = k->schedule->nchoices;
	return i < AGAIN;
}

static bool again_take(void *arg, size_t i, struct hd_trial *t)
{
	struct work *k = arg;

	k->c->executions++;
	k->failed +=
		hd_campaign_fails_alike(k->c, &k->w->failure, t) && !hd_run_divergence(&t->run);
	return true;
}

static enum hd_err run_again(struct work *k)
{
	struct hd_trials trials = {
		.program = &k->c->program, .arg = k, .next = again_next, .take = again_take
	};
	struct hd_pool pool = k->c->pool;
	struct hd_schedule schedule;
	struct hd_errbuf eb = { 0 };
	enum hd_pool_why why;
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", k->w->trial->trace_fd);
	if (hd_schedule_load(&schedule, path, &eb) != HD_OK)
		return hd_error(HD_ERR_SYSTEM, "%s", eb.text);
	k->schedule = &schedule;
	pool.until = hd_budget_last(); /* what was found is worth this much more time */
	why = hd_trials_run(&trials, &pool);
	hd_schedule_free(&schedule);
	/* A crash that was seen is one, even if somebody is in a hurry. */
	k->w->steady = k->failed == AGAIN || (hd_campaign_ended_early(k->c, why) &&
					      k->w->failure.what == HD_FAIL_FINDING);
	return trials.rc;
}

enum hd_err hd_campaign_repeat(struct hd_campaign *c, struct hd_witness *w)
{
	struct work k = { .c = c, .w = w };

	return run_again(&k);
}

static enum hd_err run_segments(struct work *k, struct hd_segment *list, size_t n)
{
	struct hd_trials trials = {
		.program = &k->c->program, .arg = k, .next = segments_next, .take = segments_take
	};
	struct hd_pool pool = k->c->pool;

	pool.until = hd_budget_last();
	free(k->variants[0].list);
	k->variants[0] = (struct variant){ list, n };
	hd_trials_run(&trials, &pool);
	k->variants[0].list = NULL;
	return trials.rc;
}

enum hd_err hd_campaign_minimise(struct hd_campaign *c, struct hd_witness *w,
				 const struct hd_found *wanted)
{
	struct work k = { .c = c, .w = w, .wanted = wanted };
	struct hd_segments s;
	struct hd_errbuf eb = { 0 };
	enum hd_err err = hd_schedule_segments(w->trial->trace, &s, &eb);
	enum hd_err rc;

	if (err)
		return hd_error(HD_ERR_SYSTEM, "%s", eb.text);
	/* If the first run did not show it (it fails on its way there), the others need not. */
	if (!shows(&k, w->trial))
		k.wanted = NULL;
	if (hd_shrink(&s.list, &s.n, first_failing, &k) != HD_OK)
		k.rc = hd_error(HD_ERR_NOMEM, "out of memory");
	for (size_t i = 0; i < HD_POOL_AHEAD; i++) {
		free(k.variants[i].list);
		k.variants[i].list = NULL;
	}
	rc = k.rc;
	if (rc == HD_OK)
		rc = run_segments(&k, s.list, s.n);
	hd_segments_free(&s);
	if (rc == HD_OK)
		rc = run_again(&k);
	if (rc == HD_OK && hd_schedule_segments(w->trial->trace, &s, &eb) == HD_OK) {
		w->preemptions = s.preemptions;
		hd_segments_free(&s);
	}
	return rc;
}
