/*
 * Faults without a pattern on one variable: whole critical sections in another order, wake-ups that
 * come before the wait. Of two sections under one lock the later one is run just before the earlier
 * one: after everything else that the earlier one's thread had done. Values may change by that, so the
 * plans ignore them. If the same run with only that exchange taken back does not fail, it is reported. The same is done to
 * explain a failure that some ordinary runs show: then atomic operations are exchanged, too.
 */
#include "steps.h"

#include <stdlib.h>
#include <string.h>

#include "campaign/blame.h"
#include "campaign/sites.h"
#include "common/budget.h"
#include "common/array.h"
#include "common/hash.h"
#include "common/listener.h"
#include "common/map.h"
#include "report/explain.h"

#define MARKS	     20000u /* places that are looked at, at most */
#define TAKEN	     4u	    /* times that a thread's section at one place is looked at */
#define PAIRS	     2000u  /* exchanges that are tried, at most */
#define QUICK	     0.2    /* seconds for a prediction */
#define SPEND	     10.0   /* seconds for all, or as long as everything before took */
#define WAYS	     2u
#define SECTION_USES 32u /* accesses of a critical section that are looked at */

/* A section's beginning, a wait or a notification. */
struct mark {
	uint64_t index, before;	     /* of the event, and of its thread's last one before */
	struct hd_event event, last; /* op 0: it has none */
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
		/* The same before it took its last lock: there a wake-up under that lock may come. */
		uint64_t out_index;
		struct hd_event out;
	} * last; /* by thread: its last planned event; op 0: none */
	size_t nlast;
	struct hd_map taken; /* hash of thread, place and object -> times */
	struct hd_map tried; /* hash of two places -> 1 */
	const struct mark *one, *other;
	struct hd_plan plan;
	char after[WAYS][24];
	size_t nnew;   /* exchanges that could be tried, in this part or another */
	size_t npairs; /* exchanges that were tried */
	const struct hd_failure
		*target; /* the only one that counts; NULL: any that is not told of yet */
	bool found;
	/* With @target: the run that shows the order, and that as a candidate. */
	struct hd_witness *explained;
	struct hd_candidates *reason;
	struct hd_witness witness; /* the run that failed; its trial is NULL: none did */
	enum hd_err rc;
};

/* ---- what could be exchanged ------------------------------------------------------------------ */

static bool is_mark(const struct exchange *x, const struct hd_event *ev, struct mark *m)
{
	m->waits = ev->op == HD_OP_WAIT;
	m->notifies = ev->op == HD_OP_NOTIFY || ev->op == HD_OP_NOTIFY_ALL;
	if (m->waits || m->notifies)
		return true;
	if (x->target &&
	    hd_failure_is_wait(x->target)) /* of these only a wake-up can be the reason */
		return false;
	return (ev->op == HD_OP_ACQUIRE && !(ev->arg & HD_LOCK_AGAIN)) ||
	       (x->target && hd_op_about(ev->op) == HD_ABOUT_ATOMIC);
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
	if (ev->op == HD_OP_ACQUIRE) {
		last->out_index = last->index;
		last->out = last->event;
	}
	last->index = index;
	last->event = *ev;
	times = hd_map_get(&x->taken, key);
	if (!is_mark(x, ev, &m) || times == TAKEN || x->nmarks + 1 >= MARKS)
		return true;
	if (!hd_map_set(&x->taken, key, times + 1) || !HD_ROOM(x->marks, x->room, x->nmarks + 2))
		return false;
	x->marks[x->nmarks++] = m;
	if (m.waits && last->out.op) {
		m.before = last->out_index;
		m.last = last->out;
		x->marks[x->nmarks++] = m;
	}
	return true;
}

/* Two atomic operations that only read are the same in either order. */
static bool only_read(const struct mark *a, const struct mark *b)
{
	return hd_op_is_read(a->event.op) && hd_op_is_read(b->event.op);
}

/* May @b come before @a, and has that not been tried at these places? */
static bool is_new(struct exchange *x, const struct mark *a, const struct mark *b, bool *ok)
{
	/* Who is woken again and again may miss the last time. */
	uint64_t key = a->waits ? hd_hash_pair(a->before, hd_hash_pair(a->index, b->index))
				: hd_hash_pair(a->event.pc, b->event.pc);

	if (!a->last.op || a->event.addr != b->event.addr || a->event.thread == b->event.thread ||
	    a->waits != b->notifies || a->notifies || b->waits || only_read(a, b) ||
	    hd_map_get(&x->tried, key))
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

static bool counts(const struct exchange *x, const struct hd_trial *t, struct hd_failure *failure)
{
	if (!x->target)
		return failure->what != HD_FAIL_NONE && failure->what != HD_FAIL_OUTPUT &&
		       !is_told(x->c, failure);
	*failure = *x->target;
	return hd_campaign_fails_alike(x->c, x->target, t);
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
	x->c->odd_runs += !x->target && failure.what == HD_FAIL_OUTPUT;
	if (counts(x, t, &failure) &&
	    !(x->target ? hd_campaign_is_stalled(x->c, t) : hd_campaign_stalled(x->c, t))) {
		x->witness = (struct hd_witness){ .failure = failure, .trial = hd_trial_keep(t) };
		if (!x->witness.trial)
			x->rc = hd_error(HD_ERR_NOMEM, "out of memory");
		return false;
	}
	return true;
}

/* What is done in a critical section. */
struct section {
	const struct mark *from;
	bool over;
	struct hd_found_access uses[SECTION_USES];
	size_t n;
};

struct sections {
	struct section one, other;
	struct hd_found_access fork; /* by which the one thread made the other; op 0: it did not */
};

static void follow(struct section *s, const struct hd_event *ev, uint64_t index)
{
	const struct mark *m = s->from;

	if (s->over || index <= m->index || ev->thread != m->event.thread)
		return;
	if (ev->op == HD_OP_RELEASE && ev->addr == m->event.addr)
		s->over = true;
	else if (hd_op_is_access(ev->op) && !hd_op_is_range(ev->op) && s->n < SECTION_USES)
		s->uses[s->n++] = (struct hd_found_access){ .index = index, .event = *ev };
}

static bool follow_both(void *arg, const struct hd_event *ev, uint64_t index)
{
	struct sections *s = arg;
	const struct mark *one = s->one.from;

	if (ev->op == HD_OP_FORK && ev->thread == one->event.thread && index < one->index &&
	    ev->value == s->other.from->event.thread)
		s->fork = (struct hd_found_access){ .index = index, .event = *ev };
	follow(&s->one, ev, index);
	follow(&s->other, ev, index);
	return !s->one.over || !s->other.over;
}

static bool conflict(const struct hd_event *a, const struct hd_event *b)
{
	return a->addr < b->addr + b->size && b->addr < a->addr + a->size &&
	       (hd_op_is_write(a->op) || hd_op_is_write(b->op));
}

static struct hd_found found_of(struct hd_found_access steps[3])
{
	static const char *const roles[] = { "e1", "f", "e2" };

	for (size_t i = 0; i < 3; i++)
		steps[i].role = roles[i];
	return (struct hd_found){ .kind = HD_KIND_ORDER,
				  .addr = steps[2].event.addr,
				  .size = steps[2].event.size,
				  .group = -1,
				  .accesses = steps,
				  .naccesses = 3 };
}

/* Does the run that failed show the three steps in this order? */
static bool is_shown(const struct exchange *x, struct hd_found_access steps[3])
{
	const struct hd_found wanted = found_of(steps);
	struct hd_errbuf eb = { 0 };
	struct hd_sites sites;
	bool found = false;
	bool ok = hd_sites_find(&sites, x->witness.trial->trace, &wanted, &found, &eb) == HD_OK;

	hd_sites_free(&sites);
	return ok && found;
}

/* The variable by which the sections are in each other's way: what the earlier one writes comes first. */
static bool find_conflict(const struct exchange *x, const struct sections *s,
			  struct hd_found_access steps[3])
{
	for (int writes = 1; writes >= 0; writes--) {
		for (size_t i = 0; i < s->one.n; i++) {
			const struct hd_event *own = &s->one.uses[i].event;

			for (size_t k = 0; k < s->other.n; k++) {
				if (!conflict(own, &s->other.uses[k].event) ||
				    hd_op_is_write(own->op) != writes)
					continue;
				steps[1] = s->other.uses[k];
				steps[2] = s->one.uses[i];
				if (is_shown(x, steps))
					return true;
			}
		}
	}
	return false;
}

/* By what the thread that waits has seen that it has to: what the other one writes before the wake-up. */
struct looking {
	const struct mark *wait, *wakeup;
	struct hd_map written;
	struct hd_found_access last; /* op 0: it has looked at nothing of that */
};

static bool note_written(void *arg, const struct hd_event *ev, uint64_t index)
{
	struct looking *l = arg;

	return index >= l->wakeup->index || ev->thread != l->wakeup->event.thread ||
	       !hd_op_is_access(ev->op) || !hd_op_is_write(ev->op) ||
	       hd_map_set(&l->written, ev->addr, 1);
}

static bool note_look(void *arg, const struct hd_event *ev, uint64_t index)
{
	struct looking *l = arg;

	if (ev->thread == l->wait->event.thread && hd_op_is_read(ev->op) &&
	    hd_map_get(&l->written, ev->addr))
		l->last = (struct hd_found_access){ .index = index, .event = *ev };
	return index < l->wait->index;
}

static void find_look(const struct exchange *x, struct hd_found_access *e1)
{
	struct looking l = { .wait = x->one, .wakeup = x->other };
	struct hd_trace *t = x->from->trial->trace;

	hd_trace_each(t, note_written, &l);
	hd_trace_each(t, note_look, &l);
	if (l.last.event.op)
		*e1 = l.last;
	hd_map_free(&l.written);
}

/* The three steps in the order that fails, as a thing to look for in other runs; false: the run that failed has them not. */
static bool find_steps(const struct exchange *x, struct hd_found_access steps[3])
{
	struct sections s = { .one = { .from = x->one }, .other = { .from = x->other } };

	hd_trace_each(x->from->trial->trace, follow_both, &s);
	steps[0] = x->target && s.fork.event.op ? s.fork
						: (struct hd_found_access){ .index = x->one->before,
									    .event = x->one->last };
	if (x->one->event.op == HD_OP_ACQUIRE && find_conflict(x, &s, steps))
		return true;
	if (x->one->waits)
		find_look(x, &steps[0]);
	steps[1] = (struct hd_found_access){ .index = x->other->index, .event = x->other->event };
	steps[2] = (struct hd_found_access){ .index = x->one->index, .event = x->one->event };
	return is_shown(x, steps);
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
	hd_campaign_note_missing(shown, wanted);
	shown->certainty.verdict = HD_VERDICT_CONFIRMED;
	shown->certainty.candidate = false;
	shown->witness.outcome = strdup(w->failure.words);
	shown->witness.word = hd_failure_word(&w->failure);
	shown->witness.schedule = strdup(w->file);
	shown->witness.replay = strdup(w->replay);
	if (!shown->witness.outcome || !shown->witness.schedule || !shown->witness.replay ||
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

/* It is the reason that was looked for. */
static enum hd_err explains(struct exchange *x, struct hd_witness *w, const struct hd_found *wanted)
{
	const struct hd_goal goal = { .norder = 0 };

	x->found = true;
	*x->explained = *w;
	return hd_candidates_add_goal(x->reason, wanted, &goal)
		       ? HD_OK
		       : hd_error(HD_ERR_NOMEM, "out of memory");
}

static enum hd_err conclude(struct exchange *x)
{
	struct hd_campaign *c = x->c;
	struct hd_found_access steps[3] = { 0 };
	bool shown = find_steps(x, steps), blamed = false;
	const struct hd_found wanted = found_of(steps);
	struct hd_witness w = x->witness;
	enum hd_err rc =
		shown ? is_to_blame(x, &w, &wanted, &blamed) : hd_campaign_minimise(c, &w, NULL);

	x->witness = (struct hd_witness){ 0 };
	if (rc == HD_OK && blamed && x->target)
		rc = hd_check_prevented(c, &w, &wanted, &blamed);
	if (rc == HD_OK && blamed && x->target)
		return explains(x, &w, &wanted);
	if (rc == HD_OK && w.steady && !HD_ROOM(c->harm, c->harm_room, c->nharm + 1))
		rc = hd_error(HD_ERR_NOMEM, "out of memory");
	if (rc != HD_OK || !w.steady || x->target) {
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

	return (!x->found || (c->config->keep_going && !x->target)) && x->npairs < PAIRS &&
	       hd_now() < until && !c->out_of_time && !c->interrupted && !c->out_of_memory;
}

static enum hd_err try_all(struct exchange *x, double until)
{
	enum hd_err rc = HD_OK;
	bool ok = true;

	for (size_t i = 0; i < x->nmarks && rc == HD_OK; i++) {
		for (size_t k = i + 1; k < x->nmarks && rc == HD_OK; k++) {
			if (!is_new(x, &x->marks[i], &x->marks[k], &ok) ||
			    (!x->target && !hd_check_is_ours(x->c, x->nnew++)))
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

static enum hd_err try_exchanges(struct exchange *x, double until)
{
	enum hd_err rc = hd_trace_each(x->from->trial->trace, note, x)
				 ? try_all(x, until)
				 : hd_error(HD_ERR_NOMEM, "out of memory");

	free(x->last);
	hd_map_free(&x->taken);
	hd_map_free(&x->tried);
	free(x->marks);
	return rc;
}

enum hd_err hd_check_exchange(struct hd_campaign *c)
{
	double took = hd_now() - c->began,
	       until = hd_now() + hd_budget_share(took > SPEND ? took : SPEND);
	struct exchange x = { .c = c, .from = c->observations };

	/* What is known already is to be mended first. */
	if (!c->analysed || c->first_unfinished ||
	    (hd_run_faults(&c->observations[0].trial->run) && !c->config->keep_going))
		return HD_OK;
	return try_exchanges(&x, until);
}

enum hd_err hd_check_explain_by_order(struct hd_campaign *c, const struct hd_failure *failure,
				      double until, struct hd_witness *w,
				      struct hd_candidates *reason)
{
	struct exchange x = {
		.c = c, .from = c->observations, .target = failure, .explained = w, .reason = reason
	};

	if (c->first_unfinished || hd_campaign_fails_alike(c, failure, x.from->trial))
		return HD_OK;
	return try_exchanges(&x, until);
}
