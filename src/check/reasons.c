/*
 * Why ordinary runs fail: what some of them show, and others do not, needs an order of accesses, too.
 *
 * No candidate of the observed run need be it: there the threads did not do what they do in a run that fails.
 * So a small run that fails in this way is looked for and analysed itself, and a pattern that comes about in it is
 * the reason if the same run with only that order changed does not fail so.
 */
#include "steps.h"

#include <stdlib.h>
#include <string.h>

#include "campaign/blame.h"
#include "campaign/sites.h"
#include "common/budget.h"
#include "common/array.h"
#include "common/listener.h"

#define RUNS	 64u /* in which the failure is looked for */
#define FAILURES 4u  /* that are explained, at most */
#define PATTERNS 8u  /* of a failing run that are put right, at most */
#define ORDERS	 3.0 /* seconds for orders of sections, if no pattern is the reason */
#define SPEND                                                                                      \
	3.0 /* seconds in which the next failure may be begun, or as long as all before took */

static bool is_over(const struct hd_campaign *c)
{
	return c->out_of_time || c->interrupted || c->out_of_memory || c->first_unfinished;
}

/* ---- a run that fails so ------------------------------------------------------------------- */

struct looking {
	struct hd_campaign *c;
	struct hd_witness *w; /* its failure is known; the trial is looked for */
	uint64_t events;      /* of the run that showed it */
	size_t from, next;    /* seeds: the first one, and the one after the last that was taken */
	enum hd_err rc;
};

/* Switches are possible at every access, as in the runs that come after. */
static bool look_next(void *arg, size_t i, struct hd_trial *t)
{
	struct looking *l = arg;

	i += l->from;
	*t = hd_campaign_fine_trial(l->c);
	if (i % 2) {
		t->run_as.policy = HD_POLICY_PCT;
		t->run_as.pct_length = l->events;
	}
	t->run_as.seed = i + 1;
	return i < RUNS;
}

static bool look_take(void *arg, size_t i, struct hd_trial *t)
{
	struct looking *l = arg;

	l->c->executions++;
	l->next = l->from + i + 1;
	if (!hd_campaign_fails_alike(l->c, &l->w->failure, t) || hd_campaign_is_stalled(l->c, t))
		return true;
	l->w->trial = hd_trial_keep(t);
	if (!l->w->trial)
		l->rc = hd_error(HD_ERR_NOMEM, "out of memory");
	return false;
}

static bool count(void *arg, const struct hd_event *ev, uint64_t index)
{
	uint64_t *n = arg;

	(void)ev;
	*n = index + 1;
	return true;
}

/* The next one that fails so; the witness's trial is NULL: there is none. */
static enum hd_err look(struct looking *l)
{
	struct hd_trials trials = {
		.program = &l->c->program, .arg = l, .next = look_next, .take = look_take
	};

	hd_campaign_ended_early(l->c, hd_trials_run(&trials, &l->c->pool));
	l->from = l->next;
	return trials.rc != HD_OK ? trials.rc : l->rc;
}

/* One that fails as @seen does, with few preemptions; its trial is NULL: there is none. */
static enum hd_err find_small(struct hd_campaign *c, const struct hd_witness *seen,
			      struct hd_witness *w)
{
	struct looking l = { .c = c, .w = w };
	enum hd_err rc;

	hd_trace_each(seen->trial->trace, count, &l.events);
	rc = look(&l);
	if (rc == HD_OK && w->trial)
		rc = hd_campaign_minimise(c, w, NULL);
	if (rc != HD_OK || (w->trial && !w->steady))
		hd_witness_free(w);
	return rc;
}

/* ---- what it shows --------------------------------------------------------------------------- */

/* *@list: candidates of the run, which the campaign keeps. */
static enum hd_err analyse(struct hd_campaign *c, const struct hd_trial *t,
			   struct hd_candidates **list)
{
	struct hd_errbuf eb = { 0 };
	struct hd_analyses *a;
	struct hd_run run = { 0 };
	struct hd_candidates *out;
	enum hd_err rc;

	if (!HD_ROOM(c->reasons, c->reasons_room, c->nreasons + 1))
		return hd_error(HD_ERR_NOMEM, "out of memory");
	out = *list = &c->reasons[c->nreasons++];
	*out = (struct hd_candidates){ 0 };
	rc = hd_analyses_new(&a, &c->config->analysis, true);

	if (rc != HD_OK)
		return rc;
	if (!c->config->analysis.only)
		hd_analyses_with(a, HD_DO_TOGETHER);
	if (hd_candidates_collect(out, a, &run, t->trace, HD_CERTAIN_IS_TOLD, &eb) != HD_OK)
		rc = hd_error(HD_ERR_SYSTEM, "%s", eb.text);
	else
		hd_candidates_keep_named(out, c->outputs.named, &run);
	hd_run_free(&run);
	hd_analyses_free(a);
	return rc;
}

/* The thread whose doing the failure is; 0: that is not known. */
static uint32_t failing_thread(const struct hd_witness *w)
{
	const struct hd_run *run = &w->trial->run;

	for (size_t i = 0; i < run->nfindings; i++) {
		char place[17];

		if (!hd_finding_is_failure(&run->findings[i]))
			continue;
		hd_failure_place(&run->findings[i], place);
		if (!strcmp(place, w->failure.place))
			return run->findings[i].moment.thread;
	}
	return 0;
}

/* Does the pattern come about in the run? *@own: by the thread that fails. */
static enum hd_err comes_about(const struct hd_witness *w, const struct hd_found *found, bool *does,
			       bool *own)
{
	struct hd_errbuf eb = { 0 };
	struct hd_sites sites;
	enum hd_err rc = HD_OK;

	if (hd_sites_find(&sites, w->trial->trace, found, does, &eb) != HD_OK)
		rc = hd_error(HD_ERR_SYSTEM, "%s", eb.text);
	else if (*does && sites.complete)
		*own = sites.accesses[found->naccesses - 1].event.thread == failing_thread(w);
	else
		*does = false;
	hd_sites_free(&sites);
	return rc;
}

/* Patterns of the failing thread come first, and last those of two variables that nobody said belong together. */
enum turn { OWN, OTHERS, TOGETHER, TURNS };

static bool can_be(const struct hd_candidate *k, enum turn turn)
{
	return hd_found_is_pattern(&k->found) && !k->one_thread && k->found.group < 0 &&
	       (k->found.together > 0) == (turn == TOGETHER);
}

/* *@cause: which of the patterns is the reason; NULL: none is. */
static enum hd_err find_cause(struct hd_campaign *c, struct hd_witness *w,
			      const struct hd_candidates *list, enum turn turns,
			      const struct hd_candidate **cause)
{
	unsigned tried = 0;
	enum hd_err rc = HD_OK;

	*cause = NULL;
	for (enum turn turn = OWN; turn < turns; turn++) {
		for (size_t i = 0; i < list->n && tried < PATTERNS && !is_over(c); i++) {
			bool does = false, own = false, waits = false, blamed = false;

			if (!can_be(&list->list[i], turn))
				continue;
			rc = comes_about(w, &list->list[i].found, &does, &own);
			if (rc == HD_OK && does)
				rc = hd_campaign_only_waits(w, &list->list[i].found, &waits);
			if (rc == HD_OK && does && !waits &&
			    (turn == TOGETHER || own == (turn == OWN))) {
				tried++;
				rc = hd_campaign_blame(c, w, &list->list[i].found, false, &blamed);
			}
			/* That two variables belong together is a guess, and it is none if nothing fails where they do. */
			if (rc == HD_OK && blamed && turn == TOGETHER)
				rc = hd_check_prevented(c, w, &list->list[i].found, &blamed);
			if (rc != HD_OK || (blamed && !is_over(c))) {
				*cause = &list->list[i];
				return rc;
			}
		}
	}
	return HD_OK;
}

/* Is the failure the doing of a thread that has no part in @found? */
static enum hd_err is_of_others(const struct hd_witness *w, const struct hd_found *found,
				bool *others)
{
	uint32_t thread = failing_thread(w);
	struct hd_errbuf eb = { 0 };
	struct hd_sites sites;
	bool there;
	enum hd_err rc = HD_OK;

	*others = thread != 0;
	if (hd_sites_find(&sites, w->trial->trace, found, &there, &eb) != HD_OK)
		rc = hd_error(HD_ERR_SYSTEM, "%s", eb.text);
	for (size_t i = 0; i < sites.found.naccesses; i++)
		*others &= sites.accesses[i].event.thread != thread;
	hd_sites_free(&sites);
	return rc;
}

enum hd_err hd_check_nearer_cause(struct hd_campaign *c, struct hd_attempt *a)
{
	struct hd_candidates *list = NULL;
	const struct hd_candidate *cause = NULL;
	bool others;
	enum hd_err rc = is_of_others(&a->witness, &a->candidate->found, &others);

	if (rc != HD_OK || !others)
		return rc;
	rc = analyse(c, a->witness.trial, &list);
	if (rc == HD_OK)
		rc = find_cause(c, &a->witness, list, OWN + 1, &cause);
	if (cause)
		a->candidate = cause;
	return rc;
}

/* ---- one failure after the other ------------------------------------------------------------- */

static enum hd_err confirm(struct hd_campaign *c, struct hd_witness *w,
			   const struct hd_candidate *cause)
{
	if (!HD_ROOM(c->attempts, c->attempts_room, c->nattempts + 1))
		return hd_error(HD_ERR_NOMEM, "out of memory");
	c->attempts[c->nattempts++] = (struct hd_attempt){ .from = &c->observations[0],
							   .candidate = cause,
							   .decided = true,
							   .verdict = HD_VERDICT_CONFIRMED,
							   .witness = *w };
	c->decided++;
	*w = (struct hd_witness){ 0 };
	return HD_OK;
}

/* No pattern is: an order of sections may be. */
static enum hd_err explain_by_order(struct hd_campaign *c, const struct hd_failure *failure)
{
	struct hd_witness w = { 0 };
	struct hd_candidates *list;
	enum hd_err rc;

	if (!HD_ROOM(c->reasons, c->reasons_room, c->nreasons + 1))
		return hd_error(HD_ERR_NOMEM, "out of memory");
	list = &c->reasons[c->nreasons++];
	*list = (struct hd_candidates){ 0 };
	rc = hd_check_explain_by_order(c, failure, hd_now() + hd_budget_share(ORDERS), &w, list);
	if (rc == HD_OK && list->n)
		rc = confirm(c, &w, list->list);
	hd_witness_free(&w);
	return rc;
}

static enum hd_err explain(struct hd_campaign *c, const struct hd_witness *seen,
			   const struct hd_failure *failure)
{
	struct hd_witness w = { .failure = *failure };
	const struct hd_candidate *cause = NULL;
	struct hd_candidates *list = NULL;
	enum hd_err rc = find_small(c, seen, &w);

	if (rc != HD_OK || !w.trial)
		return rc;
	rc = analyse(c, w.trial, &list);
	if (rc == HD_OK)
		rc = find_cause(c, &w, list, TURNS, &cause);
	if (rc == HD_OK && cause)
		rc = confirm(c, &w, cause);
	else if (rc == HD_OK && !is_over(c))
		rc = explain_by_order(c, failure);
	hd_witness_free(&w);
	return rc;
}

static bool has_race(const struct hd_run *run)
{
	for (size_t i = 0; i < run->nfindings; i++) {
		if (run->findings[i].kind == HD_KIND_RACE && !run->findings[i].certainty.candidate)
			return true;
	}
	return false;
}

/* Somebody waits for a condition variable, and no locks are in a cycle. */
static bool waits_for_condition(const struct hd_trial *t)
{
	for (size_t i = 0; i < t->run.nfindings; i++) {
		const struct hd_finding_waiting *w = &t->run.findings[i].waiting;

		for (size_t k = 0;
		     t->run.findings[i].kind == HD_KIND_DEADLOCK && !w->ncycle && k < w->nthreads;
		     k++) {
			if (w->threads[k].state == HD_TS_COND)
				return true;
		}
	}
	return false;
}

static bool is_explained(const struct hd_campaign *c, const struct hd_failure *failure)
{
	for (size_t i = 0; i < c->nattempts; i++) {
		if (c->attempts[i].verdict == HD_VERDICT_CONFIRMED &&
		    hd_same_failure(&c->attempts[i].witness.failure, failure))
			return true;
	}
	return false;
}

/* Some orderly runs may show it, too, as long as others end well: then it is an order that does it. */
static struct hd_failure failure_of(const struct hd_campaign *c, const struct hd_trial *t)
{
	struct hd_failure failure = hd_campaign_failure(c, t);

	if (failure.what == HD_FAIL_NONE && c->normal.runs && c->normal.bad != HD_CAME_TO_GRIEF)
		failure = hd_trial_failure(t, c->normal.bad == HD_WENT_WELL);
	return failure;
}

/* ---- only the output is unusual -------------------------------------------------------------- */

#define ODD_RUNS 4u /* that are analysed, at most */

/* In the run of @w the pattern tears an operation apart, and with that held together no run writes so. */
static enum hd_err tears(struct hd_campaign *c, struct hd_witness *w, const struct hd_found *found,
			 bool *does)
{
	enum hd_tear tear;
	enum hd_err rc = hd_check_tear(c, w->trial, found, &tear);

	*does = false;
	if (rc != HD_OK || tear != HD_TEAR_OPERATION)
		return rc;
	rc = hd_check_prevented(c, w, found, does);
	c->odd_in_vain += rc == HD_OK && !*does;
	return rc;
}

/* And with few preemptions it is so, too, and the same run without that order does not write so. */
static enum hd_err is_cause(struct hd_campaign *c, struct hd_witness *w,
			    const struct hd_found *found, bool *is)
{
	enum hd_err rc = hd_campaign_minimise(c, w, found);

	*is = false;
	if (rc == HD_OK && w->steady && w->preemptions && !hd_campaign_is_stalled(c, w->trial))
		rc = hd_campaign_blame(c, w, found, false, is);
	return rc;
}

/* Of one variable: two of which nobody said that they belong together are torn in runs that are right, too. */
static enum hd_err find_tear(struct hd_campaign *c, struct hd_witness *w,
			     const struct hd_candidates *list, const struct hd_candidate **cause)
{
	enum hd_err rc = HD_OK;

	*cause = NULL;
	for (size_t i = 0; i < list->n && !is_over(c) && c->odd_in_vain < HD_ODD_IN_VAIN; i++) {
		const struct hd_candidate *k = &list->list[i];
		bool does = false;

		if (!can_be(k, OWN))
			continue;
		rc = tears(c, w, &k->found, &does);
		if (rc == HD_OK && does)
			rc = is_cause(c, w, &k->found, &does);
		if (rc != HD_OK || does) {
			*cause = k;
			return rc;
		}
	}
	return HD_OK;
}

static bool varies_by_chance(const struct hd_normal *n)
{
	for (int i = 0; i < HD_STREAMS; i++) {
		if (n->text_varies[i] && (!n->orderly_varies[i] || n->steady[i].len))
			return true;
	}
	return false;
}

/*
 * Some ordinary runs write what no orderly one does. Where the observed run has no candidate that is the reason, one
 * in which it happens may have.
 */
static enum hd_err explain_output(struct hd_campaign *c)
{
	struct hd_witness w = { .failure = { .what = HD_FAIL_ODD } };
	struct looking l = { .c = c, .w = &w };
	enum hd_err rc = HD_OK;

	hd_trace_each(c->observations[0].trial->trace, count, &l.events);
	for (unsigned i = 0; i < ODD_RUNS && rc == HD_OK && !is_over(c); i++) {
		const struct hd_candidate *cause = NULL;
		struct hd_candidates *list = NULL;

		rc = look(&l);
		if (rc != HD_OK || !w.trial)
			break;
		rc = analyse(c, w.trial, &list);
		if (rc == HD_OK)
			rc = find_tear(c, &w, list, &cause);
		if (rc == HD_OK && cause)
			return confirm(c, &w, cause);
		hd_witness_free(&w);
		w.failure.what = HD_FAIL_ODD;
	}
	return rc;
}

static bool has_found(const struct hd_campaign *c)
{
	for (size_t i = 0; i < c->nattempts; i++) {
		if (c->attempts[i].verdict == HD_VERDICT_CONFIRMED)
			return true;
	}
	return false;
}

enum hd_err hd_check_explain(struct hd_campaign *c)
{
	double now = hd_now(), took = now - c->began,
	       until = now + hd_budget_share(took > SPEND ? took : SPEND);
	enum hd_err rc = HD_OK;
	unsigned tried = 0;

	for (size_t i = 0; i < c->nextra && tried < FAILURES && rc == HD_OK && !is_over(c); i++) {
		if (tried && hd_now() > until)
			break;
		const struct hd_trial *t = c->extra[i].trial;
		struct hd_failure failure = failure_of(c, t);

		/* What threads wait for, and which accesses race, says why by itself, unless a wake-up came too early. */
		if (failure.what != HD_FAIL_FINDING ||
		    (hd_failure_is_wait(&failure) && !waits_for_condition(t)) ||
		    hd_campaign_is_stalled(c, t) || has_race(&t->run) || t->children.n ||
		    is_explained(c, &failure))
			continue;
		if (hd_progress_due())
			hd_progress_show("heddle: why ordinary runs fail");
		tried++;
		rc = hd_failure_is_wait(&failure) ? explain_by_order(c, &failure)
						  : explain(c, &c->extra[i], &failure);
	}
	if (rc == HD_OK && !is_over(c) && c->analysed && varies_by_chance(&c->normal) &&
	    (!has_found(c) || c->config->keep_going))
		rc = explain_output(c);
	return rc;
}
