/*
 * Faults without a pattern on one variable: whole critical sections in another order, wake-ups that
 * come before the wait. Of two sections under one lock the later one is run just before the earlier
 * one: after everything else that the earlier one's thread had done. Values may change by that, so the
 * plans ignore them. If the same run with only that exchange taken back does not fail, it is reported.
 */
#include "steps.h"

#include <stdlib.h>
#include <string.h>

#include "campaign/blame.h"
#include "common/budget.h"
#include "common/array.h"
#include "common/hash.h"
#include "common/listener.h"
#include "common/map.h"
#include "report/explain.h"

#define MARKS 20000u /* places that are looked at, at most */
#define TAKEN 4u     /* times that a thread's section at one place is looked at */
#define PAIRS 2000u  /* exchanges that are tried, at most */
#define QUICK 0.2    /* seconds for a prediction */
#define SPEND 10.0   /* seconds for all, or as long as everything before took */
#define WAYS  2u

/* A section's beginning, a wait or a notification. */
struct mark {
	uint64_t index, before; /* of the event, and of its thread's last one before */
	struct hd_event event, last;
	bool waits, notifies;
};

struct exchange {
	struct hd_campaign *c;
	struct hd_observation *from;
	struct mark *marks;
	size_t nmarks, room;
	struct before {
		uint64_t index;
		struct hd_event event;
	} * last; /* by thread: its last planned event; op 0: none */
	size_t nlast;
	struct hd_map taken; /* hash of thread, place and object -> times */
	struct hd_map tried; /* hash of two places -> 1 */
	const struct mark *one, *other;
	struct hd_plan plan;
	char after[WAYS][24];
	size_t nnew;   /* exchanges that could be tried, in this part or another */
	size_t npairs; /* exchanges that were tried */
	bool found;
	struct hd_witness witness; /* the run that failed; its trial is NULL: none did */
	enum hd_err rc;
};

/* ---- what could be exchanged ------------------------------------------------------------------ */

static bool is_mark(const struct hd_event *ev, struct mark *m)
{
	m->waits = ev->op == HD_OP_WAIT;
	m->notifies = ev->op == HD_OP_NOTIFY || ev->op == HD_OP_NOTIFY_ALL;
	return m->waits || m->notifies || (ev->op == HD_OP_ACQUIRE && !(ev->arg & HD_LOCK_AGAIN));
}

static struct before *last_of(struct exchange *x, uint32_t thread)
{
	if (!HD_ROOM_ZEROED(x->last, x->nlast, thread + 1u))
		return NULL;
	return &x->last[thread];
}

static bool note(void *arg, const struct hd_event *ev, uint64_t index)
{
	struct exchange *x = arg;
	uint64_t key = hd_hash_pair(hd_hash_pair(ev->thread, ev->pc), ev->addr), times;
	struct before *last = hd_op_is_planned(ev->op) ? last_of(x, ev->thread) : NULL;
	struct mark m = { .index = index, .event = *ev };

	if (!last)
		return !hd_op_is_planned(ev->op);
	m.before = last->index;
	m.last = last->event;
	*last = (struct before){ index, *ev };
	times = hd_map_get(&x->taken, key);
	if (!m.last.op || !is_mark(ev, &m) || times == TAKEN || x->nmarks == MARKS)
		return true;
	if (!hd_map_set(&x->taken, key, times + 1) || !HD_ROOM(x->marks, x->room, x->nmarks + 1))
		return false;
	x->marks[x->nmarks++] = m;
	return true;
}

/* May @b come before @a, and has that not been tried at these places? */
static bool is_new(struct exchange *x, const struct mark *a, const struct mark *b, bool *ok)
{
	uint64_t key = hd_hash_pair(a->event.pc, b->event.pc);

	if (a->event.addr != b->event.addr || a->event.thread == b->event.thread ||
	    a->waits != b->notifies || a->notifies || b->waits || hd_map_get(&x->tried, key))
		return false;
	*ok = hd_map_set(&x->tried, key, 1);
	return *ok;
}

/* ---- the runs ----------------------------------------------------------------------------------- */

static enum hd_err plan(struct exchange *x, bool *planned)
{
	const struct hd_predict_options options = { .relaxed = true,
						    .seconds = hd_budget_share(QUICK) };
	const struct hd_goal goal = {
		.order = { x->one->before, x->other->index, x->one->index },
		.norder = 3,
		.open_end = true,
	};
	struct hd_predictor *by = &x->from->predictor;
	struct hd_errbuf eb = { 0 };
	struct hd_prediction p;
	size_t chosen;
	enum hd_err err;

	by->trace = x->from->trial->trace;
	*planned = false;
	err = hd_predictor_decide(by, &goal, 1, &options, &p, &chosen, &eb);
	if (err)
		return err == HD_ERR_STOPPED || err == HD_ERR_INVALID
			       ? HD_OK
			       : hd_error(HD_ERR_SYSTEM, "%s", eb.text);
	if (p.scheduled)
		err = hd_predictor_plan(by, &goal, &p, &x->plan, &eb);
	*planned = !err && p.scheduled;
	hd_prediction_free(&p);
	snprintf(x->after[0], sizeof(x->after[0]), "first:T%u", x->other->event.thread);
	snprintf(x->after[1], sizeof(x->after[1]), "first:T%u", x->one->event.thread);
	return err ? hd_error(HD_ERR_SYSTEM, "%s", eb.text) : HD_OK;
}

static bool way_next(void *arg, size_t i, struct hd_trial *t)
{
	struct exchange *x = arg;

	if (i == WAYS)
		return false;
	*t = hd_campaign_fine_trial(x->c);
	t->follow = HD_POLICY_PLAN;
	t->plan = &x->plan;
	t->after = x->after[i];
	return true;
}

/* Does the report tell of this failure already? */
static bool is_told(struct hd_campaign *c, const struct hd_failure *failure)
{
	const struct hd_run *run = &c->observations[0].trial->run;

	for (size_t i = 0; i < c->nattempts; i++) {
		if (c->attempts[i].verdict == HD_VERDICT_CONFIRMED &&
		    hd_same_failure(&c->attempts[i].witness.failure, failure))
			return true;
	}
	for (size_t i = 0; i < run->nfindings; i++) {
		char place[17];

		hd_failure_place(&run->findings[i], place);
		if (hd_finding_is_failure(&run->findings[i]) && !strcmp(place, failure->place))
			return true;
	}
	return false;
}

/*
 * Who comes first under a lock is up to the program's luck, and it may well say so: other output
 * alone is no failure here.
 */
static bool way_take(void *arg, size_t i, struct hd_trial *t)
{
	struct exchange *x = arg;
	struct hd_failure failure = hd_campaign_failure(x->c, t);

	x->c->executions++;
	x->c->unfinished += hd_trial_was_ended(t);
	x->c->odd_runs += failure.what == HD_FAIL_OUTPUT;
	if (failure.what != HD_FAIL_NONE && failure.what != HD_FAIL_OUTPUT &&
	    !hd_campaign_is_stalled(x->c, t) && !is_told(x->c, &failure)) {
		x->witness = (struct hd_witness){ .failure = failure, .trial = hd_trial_keep(t) };
		if (!x->witness.trial)
			x->rc = hd_error(HD_ERR_NOMEM, "out of memory");
		return false;
	}
	return true;
}

/* The three steps in the order that fails, as a thing to look for in other runs. */
static struct hd_found wanted_of(const struct exchange *x, struct hd_found_access steps[3])
{
	steps[0] = (struct hd_found_access){ .role = "e1",
					     .index = x->one->before,
					     .event = x->one->last };
	steps[1] = (struct hd_found_access){ .role = "f",
					     .index = x->other->index,
					     .event = x->other->event };
	steps[2] = (struct hd_found_access){ .role = "e2",
					     .index = x->one->index,
					     .event = x->one->event };
	return (struct hd_found){ .kind = HD_KIND_ORDER,
				  .addr = x->one->event.addr,
				  .group = -1,
				  .accesses = steps,
				  .naccesses = 3 };
}

/* The run ended before the thread that was torn apart came to its last step: which is that? */
static bool tell_missing(const struct exchange *x, struct hd_finding *f, const struct hd_run *run)
{
	struct hd_frame frame;
	char *text = NULL;
	size_t len = 0;
	FILE *out;

	if (f->naccesses != 2 || !hd_run_frame(run, x->one->event.pc, &frame))
		return true;
	out = open_memstream(&text, &len);
	if (!out)
		return false;
	fprintf(out, "T%u had not come to ", f->accesses[0].event.thread);
	hd_put_site(out, &frame);
	fclose(out);
	f->why = text;
	return text != NULL;
}

/* A finding of the report, with the file that shows it; else what the run itself shows. */
static enum hd_err tell(struct exchange *x, struct hd_witness *w, const struct hd_found *wanted)
{
	struct hd_errbuf eb = { 0 };
	struct hd_finding *shown;
	enum hd_err rc;

	if (hd_campaign_find(wanted, w->trial, &shown, &eb) != HD_OK)
		return hd_error(HD_ERR_SYSTEM, "%s", eb.text);
	x->found = true;
	if (!shown)
		return hd_campaign_adopt_run(x->c, w);
	rc = hd_campaign_save_finding(x->c, w, "order", shown, NULL, &w->trial->run);
	if (rc != HD_OK)
		return rc;
	shown->certainty.verdict = HD_VERDICT_CONFIRMED;
	shown->certainty.candidate = false;
	shown->witness.outcome = strdup(w->failure.words);
	shown->witness.word = hd_failure_word(&w->failure);
	shown->witness.schedule = strdup(w->file);
	shown->witness.replay = strdup(w->replay);
	if (!shown->witness.outcome || !shown->witness.schedule || !shown->witness.replay ||
	    !tell_missing(x, shown, &w->trial->run) ||
	    !hd_run_adopt(&x->c->observations[0].trial->run, &w->trial->run, shown))
		return hd_error(HD_ERR_NOMEM, "out of memory");
	return HD_OK;
}

/* Its run fails in this order; *@blamed: and not without it. */
static enum hd_err is_to_blame(struct exchange *x, struct hd_witness *w,
			       const struct hd_found *wanted, bool *blamed)
{
	enum hd_err rc = hd_campaign_minimise(x->c, w, wanted);

	*blamed = false;
	if (rc != HD_OK || !w->steady || hd_campaign_stalled(x->c, w->trial))
		return rc;
	return hd_campaign_blame(x->c, w, wanted, false, blamed);
}

static enum hd_err conclude(struct exchange *x)
{
	struct hd_campaign *c = x->c;
	struct hd_found_access steps[3];
	const struct hd_found wanted = wanted_of(x, steps);
	struct hd_witness w = x->witness;
	bool blamed;
	enum hd_err rc = is_to_blame(x, &w, &wanted, &blamed);

	x->witness = (struct hd_witness){ 0 };
	if (rc == HD_OK && w.steady && !HD_ROOM(c->harm, c->harm_room, c->nharm + 1))
		rc = hd_error(HD_ERR_NOMEM, "out of memory");
	if (rc != HD_OK || !w.steady) {
		hd_witness_free(&w);
		return rc;
	}
	c->harm[c->nharm++] = w;
	/* A failure that has another reason is one all the same. */
	return blamed ? tell(x, &c->harm[c->nharm - 1], &wanted)
		      : hd_campaign_adopt_run(c, &c->harm[c->nharm - 1]);
}

static enum hd_err try_pair(struct exchange *x)
{
	struct hd_trials trials = {
		.program = &x->c->program, .arg = x, .next = way_next, .take = way_take
	};
	bool planned;
	enum hd_err rc = plan(x, &planned);

	x->npairs++;
	if (rc == HD_OK && planned) {
		hd_campaign_ended_early(x->c, hd_trials_run(&trials, &x->c->pool));
		rc = trials.rc != HD_OK ? trials.rc : x->rc;
		hd_plan_free(&x->plan);
	}
	return rc == HD_OK && x->witness.trial ? conclude(x) : rc;
}

static bool goes_on(const struct exchange *x, double until)
{
	const struct hd_campaign *c = x->c;

	return (!x->found || c->config->keep_going) && x->npairs < PAIRS && hd_now() < until &&
	       !c->out_of_time && !c->interrupted && !c->out_of_memory;
}

static enum hd_err try_all(struct exchange *x, double until)
{
	enum hd_err rc = HD_OK;
	bool ok = true;

	for (size_t i = 0; i < x->nmarks && rc == HD_OK; i++) {
		for (size_t k = i + 1; k < x->nmarks && rc == HD_OK; k++) {
			if (!is_new(x, &x->marks[i], &x->marks[k], &ok) ||
			    !hd_check_is_ours(x->c, x->nnew++))
				continue;
			if (!goes_on(x, until))
				return HD_OK;
			if (hd_progress_due())
				hd_progress_show("heddle: critical sections in another order, "
						 "%zu pairs tried",
						 x->npairs);
			x->one = &x->marks[i];
			x->other = &x->marks[k];
			rc = try_pair(x);
		}
	}
	return ok ? rc : hd_error(HD_ERR_NOMEM, "out of memory");
}

enum hd_err hd_check_exchange(struct hd_campaign *c)
{
	double took = hd_now() - c->began,
	       until = hd_now() + hd_budget_share(took > SPEND ? took : SPEND);
	struct exchange x = { .c = c, .from = c->observations };
	enum hd_err rc;

	/* What is known already is to be mended first. */
	if (!c->analysed || c->first_unfinished ||
	    (hd_run_faults(&c->observations[0].trial->run) && !c->config->keep_going))
		return HD_OK;
	rc = hd_trace_each(x.from->trial->trace, note, &x)
		     ? try_all(&x, until)
		     : hd_error(HD_ERR_NOMEM, "out of memory");
	free(x.last);
	hd_map_free(&x.taken);
	hd_map_free(&x.tried);
	free(x.marks);
	return rc;
}
