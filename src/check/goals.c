/*
 * Goals of the user instead of candidates: each is looked for in the observed runs, predicted, and run by
 * its plan as a candidate is (sweep.c). It is reached where the run itself shows it.
 */
#include "steps.h"

#include <string.h>

#include "common/array.h"
#include "common/listener.h"
#include "findings/goal_seen.h"
#include "findings/predict_match.h"

bool hd_attempt_is_goal(const struct hd_attempt *a)
{
	return a->candidate->found.kind == HD_KIND_GOAL;
}

static enum hd_err fail(enum hd_err err, const struct hd_errbuf *eb)
{
	bool ours = err == HD_ERR_NOMEM || err == HD_ERR_FULL;

	return hd_error(ours ? err : HD_ERR_REQUEST, "%s", eb->text);
}

enum hd_err hd_check_load_goals(struct hd_campaign *c, bool recorded)
{
	struct hd_errbuf eb = { 0 };
	enum hd_err err =
		c->config->goals ? hd_user_goals_load(&c->goals, c->config->goals, &eb) : HD_OK;

	if (err)
		return fail(err, &eb);
	for (size_t i = 0; i < c->goals.n && !recorded; i++) {
		if (hd_goal_is_numbered(&c->goals.list[i]))
			return hd_error(
				HD_ERR_REQUEST,
				"--goal, line %u: numbers of events are those of a recorded "
				"run, which --trace names",
				c->goals.list[i].line);
	}
	return HD_OK;
}

/* What is known of one goal, by the observation that is best for it. */
struct asking {
	struct hd_campaign *c;
	const struct hd_user_goal *goal;
	struct hd_observation *from; /* NULL: none has its events */
	struct hd_prediction prediction;
	struct hd_goal chosen;
	struct hd_errbuf missing; /* why the last one has not */
};

/* Of two observations without a schedule the one that leaves more open counts. */
static bool is_better(const struct asking *q, const struct hd_prediction *new)
{
	const struct hd_prediction *old = &q->prediction;

	if (!q->from || new->decision == HD_DECISION_FEASIBLE)
		return true;
	if (new->scheduled != old->scheduled)
		return new->scheduled;
	return new->decision == HD_DECISION_UNKNOWN && old->decision == HD_DECISION_INFEASIBLE;
}

static void keep(struct asking *q, struct hd_observation *o, struct hd_prediction *p,
		 const struct hd_goal *goal)
{
	if (!is_better(q, p)) {
		hd_prediction_free(p);
		return;
	}
	if (q->from)
		hd_prediction_free(&q->prediction);
	q->from = o;
	q->prediction = *p;
	q->chosen = goal ? *goal : (struct hd_goal){ 0 };
}

static enum hd_err ask(struct asking *q, struct hd_observation *o, struct hd_errbuf *eb)
{
	const struct hd_predict_options how = { .relaxed = true };
	struct hd_user_goals one;
	struct hd_user_goal *g;
	struct hd_prediction p;
	size_t chosen;
	enum hd_err err = hd_goal_again(&one, q->goal->text, q->goal->line, eb);

	if (err)
		return err;
	g = one.list;
	o->predictor.trace = o->trial->trace;
	err = hd_predictor_start(&o->predictor, eb);
	if (!err)
		err = hd_user_goals_resolve(&one, &o->trial->run, o->predictor.predict, eb);
	if (!err)
		err = hd_predictor_decide_ways(&o->predictor, g->goals, g->ngoals, g->more, &how,
					       &p, &chosen, eb);
	if (!err)
		keep(q, o, &p, g->ngoals ? &g->goals[chosen] : NULL);
	hd_user_goals_free(&one);
	if (err != HD_ERR_NOT_FOUND)
		return err;
	q->missing = *eb;
	return HD_OK;
}

/* The goal becomes an attempt, predicted and planned. */
static enum hd_err add_attempt(struct asking *q, struct hd_errbuf *eb)
{
	struct hd_found_access accesses[HD_GOAL_ACCESSES];
	struct hd_found found = {
		.kind = HD_KIND_GOAL, .group = -1, .goal = q->goal->text, .accesses = accesses
	};
	struct hd_campaign *c = q->c;
	struct hd_candidates *list = &q->from->candidates;
	enum hd_err err =
		hd_goal_accesses(&q->chosen, &q->from->trial->run, accesses, &found.naccesses, eb);

	if (!err && (!hd_candidates_add_goal(list, &found, &q->chosen) ||
		     !HD_ROOM(c->attempts, c->attempts_room, c->nattempts + 1)))
		err = hd_fail(eb, HD_ERR_NOMEM, "out of memory");
	if (err) {
		hd_prediction_free(&q->prediction);
		return err;
	}
	c->attempts[c->nattempts] = (struct hd_attempt){ .from = q->from,
							 .candidate = &list->list[list->n - 1],
							 .prediction = q->prediction,
							 .predicted = true,
							 .hard = true };
	return hd_check_plan(&c->attempts[c->nattempts++], eb);
}

static enum hd_err look_for(struct hd_campaign *c, const struct hd_user_goal *goal)
{
	struct asking q = { .c = c, .goal = goal };
	struct hd_errbuf eb = { 0 };
	enum hd_err err = HD_OK;

	for (size_t i = 0; i < c->nobservations && !err; i++) {
		err = ask(&q, &c->observations[i], &eb);
		if (q.from && q.prediction.decision == HD_DECISION_FEASIBLE)
			break;
	}
	if (!err && !q.from)
		return fail(HD_ERR_NOT_FOUND, &q.missing);
	if (!err)
		err = add_attempt(&q, &eb);
	else if (q.from)
		hd_prediction_free(&q.prediction);
	return err && err != HD_ERR_STOPPED ? fail(err, &eb) : err;
}

/* The run without what completes its findings: goals that it does not come to are added to them. */
static enum hd_err read_anew(struct hd_trial *t)
{
	struct hd_errbuf eb = { 0 };

	hd_run_free(&t->run);
	return hd_run_read(&t->run, t->trace, NULL, NULL, &eb) == HD_OK
		       ? HD_OK
		       : hd_error(HD_ERR_SYSTEM, "%s", eb.text);
}

static enum hd_err make_ready(struct hd_campaign *c)
{
	enum hd_err rc = HD_OK;

	for (size_t i = 0; i < c->nobservations && rc == HD_OK; i++) {
		struct hd_candidates *list = &c->observations[i].candidates;

		rc = read_anew(c->observations[i].trial);
		/* Attempts point to candidates: their list must not move any more. */
		if (rc == HD_OK && !HD_ROOM(list->list, list->room, c->goals.n))
			rc = hd_error(HD_ERR_NOMEM, "out of memory");
	}
	c->analysed = rc == HD_OK;
	return rc;
}

enum hd_err hd_check_goals(struct hd_campaign *c)
{
	enum hd_err rc = make_ready(c);

	for (size_t i = 0; i < c->goals.n && rc == HD_OK; i++) {
		hd_progress_show("heddle: goal %zu of %zu", i + 1, c->goals.n);
		rc = look_for(c, &c->goals.list[i]);
	}
	if (rc != HD_ERR_STOPPED)
		return rc;
	hd_campaign_look_at_budget(c);
	return HD_OK;
}

/* ---- the runs ----------------------------------------------------------------------------------- */

/*
 * Does the run show the goal? A plan is followed from one event that others notice to the next. What lies
 * between these may have come at another moment than the goal says, and by a schedule that ignores values the
 * thread may do something else at the same place: so the run itself is asked.
 */
enum hd_err hd_check_goal_seen(struct hd_attempt *a, struct hd_trial *t, bool *seen)
{
	const struct hd_found *f = &a->candidate->found;
	struct hd_errbuf eb = { 0 };
	struct hd_user_goals one;
	struct hd_goal events;
	enum hd_err err;

	*seen = false;
	if (!t->trace || !t->run.goal)
		return HD_OK;
	err = hd_goal_seen(f->goal, &t->run, &events, seen, &eb);
	/* An order of events that others notice is just what the plan is, unless values were ignored. */
	if (!err && !*seen && !a->prediction.relaxed) {
		err = hd_goal_again(&one, f->goal, 1, &eb);
		if (!err) {
			*seen = !one.list[0].sentence;
			hd_user_goals_free(&one);
		}
	}
	return err ? hd_error(HD_ERR_SYSTEM, "%s", eb.text) : HD_OK;
}

/* ---- the report ---------------------------------------------------------------------------------- */

#define SAID 20u /* goals that get a note; the JSON has all */

void hd_check_note_goals(struct hd_campaign *c)
{
	size_t said = 0, left = c->goals.n - c->nattempts;

	for (size_t i = 0; i < c->nattempts; i++) {
		const struct hd_attempt *a = &c->attempts[i];

		if (a->witness.trial)
			continue; /* a finding */
		if (said++ >= SAID)
			continue;
		hd_campaign_note(c, "goal '%s': %s%s%s", a->candidate->found.goal,
				 !a->decided			       ? "not tried"
				 : a->verdict == HD_VERDICT_INFEASIBLE ? "infeasible"
				 : a->verdict == HD_VERDICT_REALISED   ? "realised"
								       : "unknown",
				 *a->why ? ": " : "", a->why);
	}
	if (said > SAID)
		hd_campaign_note(c, "%zu more goals were not reached; --json has them",
				 said - (size_t)SAID);
	if (left)
		hd_campaign_note(c, "%zu goal%s not tried", left, left == 1 ? " was" : "s were");
}
