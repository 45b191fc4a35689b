/*
 * Candidates one after the other: predicted, run by their plans, judged.
 *
 * In a first round each one runs in the way that fails most often, in a second one in the others. So where time runs
 * out, many were tried once, and not a few in every way.
 */
#include "steps.h"

#include <stdlib.h>
#include <string.h>

#include "campaign/blame.h"
#include "campaign/far_predictions.h"
#include "findings/kept_predictions.h"
#include "campaign/sites.h"
#include "common/array.h"
#include "common/budget.h"
#include "launch/live.h"
#include "common/listener.h"
#include "report/divergence.h"

/* ---- prediction ----------------------------------------------------------------------- */

/* Of a long run some questions take as long as hundreds of others: these come last. */
#define QUICK 1.0 /* seconds */

static bool takes_long(const struct hd_attempt *a)
{
	return !a->hard && a->prediction.decision == HD_DECISION_UNKNOWN &&
	       a->prediction.seconds >= hd_budget_share(QUICK);
}

/* Attempt @i becomes the last one, to be predicted anew with more time. */
static void put_off(struct hd_campaign *c, size_t i)
{
	struct hd_attempt a = c->attempts[i];

	hd_prediction_free(&a.prediction);
	a.predicted = false;
	a.asked = 0;
	a.hard = true;
	memmove(&c->attempts[i], &c->attempts[i + 1], (c->nattempts - i - 1) * sizeof(a));
	c->attempts[c->nattempts - 1] = a;
}

static struct hd_predict_options options_for(const struct hd_attempt *a)
{
	return (struct hd_predict_options){ .relaxed = true,
					    .seconds = a->hard ? 0 : hd_budget_share(QUICK) };
}

static enum hd_err decide_here(struct hd_attempt *a, struct hd_errbuf *eb)
{
	const struct hd_predict_options options = options_for(a);
	size_t chosen;

	return hd_predictor_decide(&a->from->predictor, &a->candidate->goal, 1, &options,
				   &a->prediction, &chosen, eb);
}

/* Those who help are asked ahead: as many as there are, and some more. */
static void ask_ahead(struct hd_campaign *c, struct hd_attempt *from)
{
	size_t n = 2 * (size_t)hd_crew_hands(c->crew);

	for (struct hd_attempt *a = from; n && a < c->attempts + c->nattempts; a++) {
		const struct hd_predict_options options = options_for(a);

		const struct hd_question q = { &a->candidate->goal, 1, &options };

		if (a->predicted || a->decided || a->candidate->one_thread ||
		    hd_prediction_is_kept(&a->from->predictor, &q))
			continue;
		if (!a->asked)
			hd_far_ask(c, a, &options);
		n--;
	}
}

#define MANY 16u /* candidates: of fewer, telling all the run takes longer */

static enum hd_err predict(struct hd_campaign *c, struct hd_attempt *a, struct hd_errbuf *eb)
{
	bool far = c->pool.crew && c->nattempts >= MANY, done = false;
	const struct hd_predict_options options = options_for(a);
	const struct hd_question q = { &a->candidate->goal, 1, &options };
	enum hd_err err = HD_OK;

	if (far && !c->told_runs)
		c->told_runs = hd_far_tell_runs(c);
	if (far && c->told_runs)
		ask_ahead(c, a);
	a->from->predictor.trace = a->from->trial->trace;
	if (a->asked)
		err = hd_predictor_start(&a->from->predictor, eb); /* plans are made here */
	if (a->asked && !err) {
		err = hd_far_decide(c, a, &done, eb);
		if (done)
			hd_prediction_keep(&a->from->predictor, &q, err, &a->prediction, 0, eb);
	}
	if (!err && !done)
		err = decide_here(a, eb);
	a->predicted = !err;
	return err ? err : hd_check_plan(a, eb);
}

enum hd_err hd_check_plan(struct hd_attempt *a, struct hd_errbuf *eb)
{
	enum hd_err err = HD_OK;

	if (a->from->trial->run_as.model != HD_MODEL_SC &&
	    a->prediction.decision == HD_DECISION_INFEASIBLE) {
		a->prediction.decision = HD_DECISION_UNKNOWN;
		snprintf(a->prediction.why, sizeof(a->prediction.why),
			 "not under sequential consistency, which is what is predicted");
	}
	if (a->prediction.scheduled && !takes_long(a)) {
		err = hd_predictor_plan(&a->from->predictor, &a->candidate->goal, &a->prediction,
					&a->plan, eb);
		a->planned = !err;
	}
	return err;
}

/*
 * No order of the run's events shows what another thread could have done. What is wrong only if a run fails by it stays
 * a candidate.
 */
static void decide_unshown(struct hd_attempt *a)
{
	a->verdict = hd_candidate_counts(a->candidate) ? HD_VERDICT_PREDICTED : HD_VERDICT_UNKNOWN;
	snprintf(a->why, sizeof(a->why),
		 "one thread did both here, so no other order of its events "
		 "was tried");
}

/* Without any schedule there is nothing to run. */
static void decide_unplanned(struct hd_attempt *a)
{
	const struct hd_prediction *p = &a->prediction;

	if (p->decision == HD_DECISION_INFEASIBLE && a->candidate->found.units) {
		decide_unshown(a);
		return;
	}
	a->verdict =
		p->decision == HD_DECISION_INFEASIBLE ? HD_VERDICT_INFEASIBLE : HD_VERDICT_UNKNOWN;
	snprintf(a->why, sizeof(a->why), "%s",
		 hd_attempt_is_goal(a) && a->verdict == HD_VERDICT_INFEASIBLE
			 ? "proved: no order of the observed events leads there"
			 : p->why);
}

/* ---- runs ------------------------------------------------------------------------------- */

enum { FIRST_ROUND, LAST_ROUND };

struct sweep {
	struct hd_campaign *c;
	unsigned round;
	size_t next; /* attempt that is being made ready */
	struct task {
		size_t attempt;
		unsigned way;
		char after[24];
	} tasks[HD_POOL_AHEAD];
	struct hd_attempt *stop; /* it failed */
	enum hd_err rc;
};

#define RANDOM_WAYS 2u

/* How to go on from the goal, in the order of trying; false: there are no more ways. */
static bool way(const struct hd_attempt *a, unsigned i, char *buf, size_t len, uint64_t *seed)
{
	const struct hd_found *f = &a->candidate->found;
	uint32_t first = f->accesses[0].event.thread;
	uint32_t other = f->naccesses > 1 ? f->accesses[1].event.thread : first;

	*seed = 0;
	if (f->kind == HD_KIND_LOCK_ORDER) { /* they wait for each other, however it goes on */
		snprintf(buf, len, "first:T%u", first);
		return i == 0;
	}
	if (i == 0)
		snprintf(buf, len, "first:T%u", first);
	else if (i == 1 && f->kind == HD_KIND_LOCKSET)
		snprintf(buf, len, "first:T%u", other);
	else if (i == 1)
		snprintf(buf, len, "last:T%u", first);
	else
		snprintf(buf, len, "random");
	*seed = i;
	return i < 2 + RANDOM_WAYS;
}

/* Has a run failed already by this unit, at another time? One is enough. */
static bool is_shown(const struct hd_campaign *c, size_t unit)
{
	for (size_t i = 0; i < c->nattempts; i++) {
		if (c->attempts[i].candidate->unit == unit &&
		    c->attempts[i].verdict == HD_VERDICT_CONFIRMED)
			return true;
	}
	return false;
}

static void decide_in(struct sweep *s, struct hd_attempt *a)
{
	a->decided = true;
	a->round = s->round;
}

/* Is there nothing for it to do in this round? */
static bool is_done(const struct sweep *s, const struct hd_attempt *a)
{
	return a->decided || (s->round == FIRST_ROUND && (a->covered || a->tried));
}

/* The next run that may be wanted; predicts as it goes. */
static bool find_task(struct sweep *s, struct task *out, uint64_t *seed)
{
	struct hd_campaign *c = s->c;
	struct hd_errbuf eb = { 0 };
	enum hd_err err;

	while (s->next < c->nattempts) {
		struct hd_attempt *a = &c->attempts[s->next];

		if (is_done(s, a)) {
			s->next++;
			continue;
		}
		if (a->candidate->one_thread) {
			decide_unshown(a);
			decide_in(s, a);
			continue;
		}
		if (a->candidate->unit && is_shown(c, a->candidate->unit)) {
			decide_in(s, a);
			a->verdict = HD_VERDICT_UNKNOWN;
			continue;
		}
		if (hd_budget_over())
			return false;
		if (!a->predicted && (err = predict(c, a, &eb)) != HD_OK) {
			if (err != HD_ERR_STOPPED)
				s->rc = hd_error(HD_ERR_SYSTEM, "%s", eb.text);
			return false;
		}
		if (!a->planned && takes_long(a)) {
			put_off(c, s->next);
			continue;
		}
		if (!a->planned) {
			decide_unplanned(a);
			decide_in(s, a);
			continue;
		}
		if (way(a, a->tried, out->after, sizeof(out->after), seed)) {
			out->attempt = s->next;
			out->way = a->tried++;
			return true;
		}
		s->next++;
	}
	return false;
}

static void show_progress(struct sweep *s)
{
	struct hd_campaign *c = s->c;
	double now = hd_now(), seconds = now - c->began;
	char left[HD_PROGRESS_LEFT];

	if (!hd_progress_due())
		return;
	hd_progress_left(left, c->nattempts ? (double)c->decided / (double)c->nattempts : 0,
			 now - c->swept, hd_campaign_time_left(c));
	hd_progress_show("heddle: %zu of %zu candidates, %llu runs, %.0f a second%s", c->decided,
			 c->nattempts, (unsigned long long)c->executions,
			 seconds > 0 ? (double)c->executions / seconds : 0, left);
}

static bool sweep_next(void *arg, size_t i, struct hd_trial *t)
{
	struct sweep *s = arg;
	struct task *task = &s->tasks[i % HD_POOL_AHEAD];
	uint64_t seed;

	show_progress(s);
	if (!find_task(s, task, &seed))
		return false;
	*t = hd_campaign_fine_trial(s->c);
	t->follow = HD_POLICY_PLAN;
	t->plan = &s->c->attempts[task->attempt].plan;
	t->after = task->after;
	t->run_as.seed = seed + 1;
	return true;
}

/* Where it left the plan and why, as the runtime tells it. */
static bool divergence(const struct hd_trial *t, char *buf, size_t len)
{
	const struct hd_finding *f = t->trace ? hd_run_divergence(&t->run) : NULL;
	FILE *out = f ? fmemopen(buf, len - 1, "w") : NULL;

	if (!out)
		return false;
	hd_put_divergence(out, &t->run, f);
	fclose(out);
	return true;
}

/* A race by locksets is confirmed by one that happened there. */
static bool shows_race(const struct hd_trial *t, const struct hd_found *wanted,
		       struct hd_failure *out)
{
	for (size_t i = 0; t->trace && i < t->run.nfindings; i++) {
		const struct hd_finding *f = &t->run.findings[i];
		bool a = false, b = false;

		if (f->kind != HD_KIND_RACE || f->certainty.candidate || f->naccesses < 2)
			continue;
		for (size_t k = 0; k < f->naccesses; k++) {
			a |= f->accesses[k].event.pc == wanted->accesses[0].event.pc;
			b |= f->accesses[k].event.pc == wanted->accesses[1].event.pc;
		}
		if (a && b) {
			memcpy(out->id, f->identity.id, sizeof(out->id));
			hd_fault_key(f, out->place);
			return true;
		}
	}
	return false;
}

static bool is_output(const struct hd_failure *f)
{
	return f->what == HD_FAIL_OUTPUT || f->what == HD_FAIL_ODD;
}

/* Nobody has said that it is one block: that a run only writes something else says little. */
static bool is_undeclared(const struct hd_attempt *a)
{
	return hd_found_is_pattern(&a->candidate->found) && !hd_candidate_counts(a->candidate) &&
	       !a->candidate->unit;
}

/* Only the output of @t, which came to @a's goal, is unusual: does that count? See torn_output.c. */
static enum hd_err output_counts(struct hd_campaign *c, struct hd_attempt *a,
				 const struct hd_trial *t, const struct hd_failure *f, bool *counts)
{
	enum hd_tear tear = HD_TEAR_NONE;
	enum hd_err rc = hd_check_tear(c, t, &a->candidate->found, &tear);

	a->by_output = tear == HD_TEAR_OPERATION;
	*counts = a->by_output ? !a->odd && c->odd_in_vain < HD_ODD_IN_VAIN
			       : tear == HD_TEAR_RACES && f->what == HD_FAIL_OUTPUT;
	c->odd_runs += !*counts && f->what == HD_FAIL_OUTPUT;
	return rc;
}

static enum hd_err failure_of(struct hd_campaign *c, struct hd_attempt *a, const struct hd_trial *t,
			      struct hd_failure *out)
{
	const struct hd_found *f = &a->candidate->found;
	enum hd_err rc = HD_OK;
	bool counts = true;

	a->by_output = false;
	*out = is_undeclared(a) ? hd_campaign_oddness(c, t) : hd_campaign_failure(c, t);
	if (is_undeclared(a) && is_output(out))
		rc = output_counts(c, a, t, out, &counts);
	if (!counts)
		out->what = HD_FAIL_NONE;
	if (out->what == HD_FAIL_NONE && f->kind == HD_KIND_LOCKSET && shows_race(t, f, out)) {
		out->what = HD_FAIL_FINDING;
		out->kind = HD_KIND_RACE;
		snprintf(out->words, sizeof(out->words),
			 "the two accesses happen without any order "
			 "between them");
	}
	return rc;
}

/* What is tried in this campaign failed in none of the ways that were tried. */
static void conclude(struct hd_attempt *a)
{
	const struct hd_prediction *p = &a->prediction;
	char left[sizeof(a->why)];

	memcpy(left, a->why, sizeof(left));
	if (a->reached) {
		a->verdict = HD_VERDICT_REALISED;
		snprintf(a->why, sizeof(a->why), "the program got there%s and %s",
			 p->relaxed ? " by a schedule that ignores values" : "",
			 a->odd ? "only wrote something unusual, as it may also do where the "
				  "accesses are held together"
				: "did not fail");
	} else if (p->decision == HD_DECISION_INFEASIBLE && a->candidate->found.units) {
		decide_unshown(a);
	} else if (p->decision == HD_DECISION_INFEASIBLE) {
		a->verdict = HD_VERDICT_INFEASIBLE;
		snprintf(a->why, sizeof(a->why),
			 "no order of the observed events leads there; one that "
			 "ignores values was tried: %.400s",
			 *left ? left : "it did not get there");
	} else {
		a->verdict = HD_VERDICT_UNKNOWN;
		if (!*left)
			snprintf(a->why, sizeof(a->why), "the runs did not get there");
	}
}

/*
 * Is a race by locksets not in the run? Two threads that stand before its lines race there, unless each has come with
 * another object, as it may by a schedule that ignores values.
 */
static bool is_without_race(const struct hd_attempt *a, const struct hd_trial *t)
{
	const struct hd_found *f = &a->candidate->found;
	struct hd_failure race;

	return f->kind == HD_KIND_LOCKSET && !shows_race(t, f, &race);
}

/* A run of a plan has ended; the attempt's own runs come one after the other. */
static bool judge(struct sweep *s, const struct task *task, struct hd_trial *t)
{
	struct hd_campaign *c = s->c;
	struct hd_attempt *a = &c->attempts[task->attempt];
	struct hd_failure failure;
	char after[24];
	uint64_t seed;
	bool goal = t->trace && t->run.goal, there = goal && !is_without_race(a, t), stays = true;
	bool last;

	s->rc = failure_of(c, a, t, &failure);
	if (s->rc != HD_OK)
		return false;
	if (hd_attempt_is_goal(a)) {
		s->rc = hd_check_goal_seen(a, t, &there);
		if (s->rc != HD_OK)
			return false;
		if (!there) /* it fails on its way there: that is told by itself */
			failure.what = HD_FAIL_NONE;
	}
	/* What left the plan before the goal leaves it there in every other way, too. */
	last = !there || !way(a, task->way + 1, after, sizeof(after), &seed);

	a->taken++;
	if (failure.what != HD_FAIL_NONE) {
		a->failure = failure;
		a->survived = a->reached;
		a->reached |= there;
		a->failing = hd_trial_keep(t);
		a->failing_try = c->tries;
		decide_in(s, a);
		s->stop = a;
		if (!a->failing)
			s->rc = hd_error(HD_ERR_NOMEM, "out of memory");
		return false;
	}
	a->reached |= there;
	if (goal && !there && !*a->why)
		snprintf(
			a->why, sizeof(a->why),
			hd_attempt_is_goal(a)
				? "the schedule was followed, but the run does not show the goal"
				: "the threads got to these lines, but each with an object of its own");
	if (!there && !*a->why && !divergence(t, a->why, sizeof(a->why)) && t->timed_out)
		snprintf(a->why, sizeof(a->why), "a run did not end within %.0f s", c->pool.limit);
	if (s->round == FIRST_ROUND && (s->rc = hd_check_cover(c, t)) != HD_OK)
		return false;
	if (there && !a->realising && hd_candidate_counts(a->candidate) &&
	    !hd_campaign_is_stalled(c, t))
		stays = (a->realising = hd_trial_keep(t)) != NULL;
	else
		stays = hd_campaign_keep_extra(c, t);
	if (!stays)
		s->rc = hd_error(HD_ERR_NOMEM, "out of memory");
	if (last) {
		conclude(a);
		decide_in(s, a);
	}
	return stays;
}

static bool sweep_take(void *arg, size_t i, struct hd_trial *t)
{
	struct sweep *s = arg;
	const struct task *task = &s->tasks[i % HD_POOL_AHEAD];
	struct hd_attempt *a = &s->c->attempts[task->attempt];

	if (a->decided || (s->round == FIRST_ROUND && a->covered)) {
		a->tried = a->taken; /* started in vain */
		return true;
	}
	hd_campaign_count(s->c, t);
	s->c->tries++;
	return judge(s, task, t) && s->rc == HD_OK;
}

static void sweep_idle(void *arg)
{
	show_progress(arg);
}

/* ---- verdicts ---------------------------------------------------------------------------- */

/* A declared block that is broken is a finding, even if the failure is another one. */
static void keep_realising(struct hd_attempt *a)
{
	struct hd_witness *w = &a->witness;

	if (!w->without || a->realising || !hd_candidate_counts(a->candidate))
		return;
	a->realising = w->without;
	w->without = NULL;
}

/* Only the output was unusual, and that is no failure; in other ways the attempt may fail in a way of its own. */
static void drop_odd(struct hd_attempt *a)
{
	a->odd = true;
	a->decided = false;
	a->verdict = HD_VERDICT_NONE;
	hd_witness_free(&a->witness);
}

/*
 * The witness fails in the same way if the pattern is put right: it has another reason, so the run is
 * told of by its own failure. One that only the output shows has none.
 */
static enum hd_err blame_other(struct hd_campaign *c, struct hd_attempt *a)
{
	struct hd_witness *w = &a->witness;

	keep_realising(a);
	if (a->by_output) {
		drop_odd(a);
		return HD_OK;
	}
	if (is_output(&w->failure) || w->failure.what == HD_FAIL_ORACLE) {
		snprintf(a->why, sizeof(a->why),
			 "the program fails in this way without the pattern, too: there is "
			 "another reason as well, or only another one");
		return HD_OK;
	}
	if (!is_without_race(a, w->trial)) {
		a->verdict = HD_VERDICT_REALISED;
		snprintf(a->why, sizeof(a->why),
			 "the program got there; it failed (%.300s), but %s", w->failure.words,
			 hd_budget_over() ? "there was no time to see whether it does so without "
					    "this order, too"
					  : "it does so without this order, too");
	} else {
		a->verdict = HD_VERDICT_UNKNOWN;
		snprintf(a->why, sizeof(a->why),
			 "a run failed (%.300s), but these accesses do not race in it",
			 w->failure.words);
	}
	if (!hd_campaign_keep_extra(c, w->trial))
		return hd_error(HD_ERR_NOMEM, "out of memory");
	hd_witness_free(w);
	return HD_OK;
}

/* A loop that waits is no block that somebody tears apart: what fails is told by itself, if it can be. */
static bool only_waits(struct hd_campaign *c, struct hd_attempt *a, enum hd_err *rc)
{
	struct hd_witness *w = &a->witness;
	bool waits = false;

	if (!hd_candidate_counts(a->candidate) && !is_output(&w->failure) &&
	    w->failure.what != HD_FAIL_ORACLE)
		*rc = hd_campaign_only_waits(w, &a->candidate->found, &waits);
	if (!waits)
		return false;
	a->verdict = HD_VERDICT_REALISED;
	snprintf(a->why, sizeof(a->why),
		 "the program got there; it failed (%.300s), but the two reads are of a loop that "
		 "waits for the write",
		 w->failure.words);
	if (!hd_campaign_keep_extra(c, w->trial))
		*rc = hd_error(HD_ERR_NOMEM, "out of memory");
	hd_witness_free(w);
	return true;
}

/*
 * Declared blocks are broken, whatever comes of it, but need not be why the program fails. Of deadlocks the failure is
 * its own, and of races, too, if they are in the run.
 */
static enum hd_err blame(struct hd_campaign *c, struct hd_attempt *a)
{
	bool blamed = true;
	enum hd_err rc = HD_OK;

	a->verdict = HD_VERDICT_CONFIRMED;
	*a->why = 0;
	if (only_waits(c, a, &rc) || rc != HD_OK)
		return rc;
	if (a->candidate->found.together && a->by_output)
		blamed =
			true; /* two variables in another order may be put right in more ways than one */
	else if (hd_found_is_pattern(&a->candidate->found))
		rc = hd_campaign_blame(c, &a->witness, &a->candidate->found,
				       hd_candidate_counts(a->candidate) && !a->candidate->unit,
				       &blamed);
	else
		blamed = !is_without_race(a, a->witness.trial);
	if (rc == HD_OK && blamed && a->candidate->found.together && !a->by_output &&
	    !a->candidate->unit)
		rc = hd_check_prevented(c, &a->witness, &a->candidate->found, &blamed);
	if (rc == HD_OK && !blamed)
		rc = blame_other(c, a);
	else if (rc == HD_OK && is_undeclared(a) && a->witness.failure.what == HD_FAIL_FINDING)
		rc = hd_check_nearer_cause(c, a);
	if (rc == HD_OK && a->verdict == HD_VERDICT_CONFIRMED && a->witness.trial)
		hd_live_run(&a->witness.trial->run);
	return rc;
}

/* A torn operation, and unusual output: does the program never write that where the operation is held together? */
static enum hd_err output_stands(struct hd_campaign *c, struct hd_attempt *a, bool *stands)
{
	enum hd_err rc = hd_check_prevented(c, &a->witness, &a->candidate->found, stands);

	if (rc != HD_OK || *stands)
		return rc;
	c->odd_in_vain++;
	drop_odd(a);
	return HD_OK;
}

/*
 * A run has failed: is it the schedule's doing? It must fail again, and by output only with
 * some preemption, or else an orderly run does it too and it is nothing unusual.
 */
static enum hd_err confirm(struct hd_campaign *c, struct hd_attempt *a)
{
	struct hd_witness *w = &a->witness;
	enum hd_err rc;

	*w = (struct hd_witness){ .trial = a->failing, .failure = a->failure };
	a->failing = NULL;
	if (a->by_output) {
		bool counts;

		rc = output_stands(c, a, &counts);
		if (rc != HD_OK || !counts)
			return rc;
	}
	/* Fewer preemptions might not lead to a goal. */
	rc = hd_attempt_is_goal(a) ? hd_campaign_repeat(c, w)
				   : hd_campaign_minimise(c, w, &a->candidate->found);
	if (rc != HD_OK)
		return rc;
	if (!w->steady) {
		a->verdict = HD_VERDICT_UNKNOWN;
		snprintf(a->why, sizeof(a->why),
			 "a run failed (%s), but not when its schedule was run "
			 "again",
			 w->failure.words);
		hd_witness_free(w);
	} else if (is_output(&w->failure) && !w->preemptions && !hd_attempt_is_goal(a)) {
		a->verdict = HD_VERDICT_REALISED;
		snprintf(a->why, sizeof(a->why),
			 "the program got there; its output was unusual, but so "
			 "it is in a run without preemption");
		hd_witness_free(w);
	} else if (hd_campaign_stalled(c, w->trial)) {
		a->verdict = HD_VERDICT_REALISED;
		snprintf(a->why, sizeof(a->why),
			 "the program got there and fails (%.300s), but that needs a "
			 "thread to be held up for longer than --stalls",
			 w->failure.words);
		hd_witness_free(w);
	} else {
		return blame(c, a);
	}
	return HD_OK;
}

/*
 * What was begun beyond the one that ends the sweep was begun in vain: how much that is depends on
 * how many run at a time, and the report must not.
 */
static void forget_after(const struct sweep *s)
{
	struct hd_campaign *c = s->c;

	for (struct hd_attempt *a = s->stop + 1; a < c->attempts + c->nattempts; a++) {
		a->tried = a->taken;
		if (!a->decided || a->round != s->round)
			continue;
		a->decided = false;
		a->verdict = HD_VERDICT_NONE;
		*a->why = 0;
	}
}

static void count_decided(struct hd_campaign *c)
{
	c->decided = c->partly = 0;
	for (size_t i = 0; i < c->nattempts; i++) {
		c->decided += c->attempts[i].decided && !c->attempts[i].partly;
		c->partly += c->attempts[i].partly;
	}
}

/* What came about has its verdict, though it could be run in more ways. */
static void conclude_partly(struct hd_campaign *c)
{
	for (size_t i = 0; i < c->nattempts; i++) {
		struct hd_attempt *a = &c->attempts[i];

		if (a->decided || !a->reached)
			continue;
		conclude(a);
		a->decided = a->partly = true;
	}
}

static bool is_over(const struct hd_campaign *c)
{
	return c->interrupted || c->out_of_time || c->out_of_memory;
}

/* Every goal is to be answered. */
static bool keeps_going(const struct hd_campaign *c)
{
	return c->config->keep_going || c->goals.n;
}

static void note_first(struct hd_campaign *c, const struct hd_attempt *a)
{
	if (a->verdict == HD_VERDICT_CONFIRMED && (!c->first_try || a->failing_try < c->first_try))
		c->first_try = a->failing_try;
}

static void drop_failing(struct hd_attempt *a)
{
	hd_trial_free(a->failing);
	free(a->failing);
	a->failing = NULL;
}

/*
 * What waits for its verdict because another candidate may be the reason that a run failed.
 * @enough: there is a finding already, so what none of the tried ones explains stays untried.
 */
static enum hd_err settle(struct hd_campaign *c, bool enough)
{
	for (size_t i = 0; i < c->nattempts; i++) {
		struct hd_attempt *a = &c->attempts[i];
		enum hd_err rc = HD_OK;

		if (!a->decided || !hd_check_may_be_companion(a))
			continue;
		if (hd_check_is_companion(c, a)) {
			a->verdict = HD_VERDICT_REALISED;
			snprintf(a->why, sizeof(a->why),
				 a->survived ? "the program got there and did not fail; where "
					       "it failed later on, another finding is the reason"
					     : "the program got there, and failed as another "
					       "finding tells");
			drop_failing(a);
		} else if (enough) {
			a->decided = false;
			drop_failing(a);
		} else {
			rc = confirm(c, a);
			if (rc == HD_OK && !a->decided)
				conclude(a);
			a->decided = true;
			note_first(c, a);
			enough |= a->verdict == HD_VERDICT_CONFIRMED && !keeps_going(c);
		}
		if (rc != HD_OK)
			return rc;
	}
	return HD_OK;
}

/* *@enough: there is a finding, which ends it. */
static enum hd_err sweep_round(struct hd_campaign *c, unsigned round, bool *enough)
{
	size_t from = 0;

	while (from < c->nattempts && !is_over(c)) {
		struct sweep s = { .c = c, .round = round, .next = from };
		struct hd_trials trials = { .program = &c->program,
					    .arg = &s,
					    .next = sweep_next,
					    .take = sweep_take,
					    .idle = sweep_idle };
		enum hd_pool_why why = hd_trials_run(&trials, &c->pool);
		enum hd_err rc = trials.rc != HD_OK ? trials.rc : s.rc;

		if (s.stop)
			forget_after(&s);
		count_decided(c);
		if (rc == HD_OK && s.stop && !hd_check_may_be_companion(s.stop))
			rc = confirm(c, s.stop);
		if (rc != HD_OK)
			return rc;
		if (!s.stop) {
			hd_campaign_ended_early(c, why);
			hd_campaign_look_at_budget(c);
			break;
		}
		note_first(c, s.stop);
		*enough = s.stop->verdict == HD_VERDICT_CONFIRMED && !keeps_going(c);
		if (*enough)
			break;
		from = (size_t)(s.stop - c->attempts) + (s.stop->decided || round == FIRST_ROUND);
	}
	return HD_OK;
}

enum hd_err hd_check_sweep(struct hd_campaign *c)
{
	bool enough = false;
	enum hd_err rc = HD_OK;

	c->swept = hd_now();
	for (unsigned round = FIRST_ROUND; round <= LAST_ROUND && rc == HD_OK && !enough; round++)
		rc = sweep_round(c, round, &enough);
	if (rc == HD_OK)
		rc = settle(c, enough);
	conclude_partly(c);
	count_decided(c);
	return rc;
}
