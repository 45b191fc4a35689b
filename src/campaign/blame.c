#include "blame.h"

#include <stdlib.h>
#include <string.h>

#include "fork_order.h"
#include "shrink.h"
#include "sites.h"
#include "common/array.h"
#include "common/budget.h"
#include "trace/event_meaning.h"

/* ---- another order --------------------------------------------------------------------------- */

/* The decision that @event was done by: the last one before it. */
static size_t decision_of(const struct hd_blame_step *list, size_t n, uint64_t event)
{
	size_t i = 0;

	while (i + 1 < n && list[i + 1].index < event)
		i++;
	return i;
}

/* The owner's decision before @i, or after it; @n: there is none. */
static size_t one_before(const struct hd_blame_step *list, size_t n, size_t i)
{
	uint32_t owner = list[i].owner;

	while (i--) {
		if (list[i].owner == owner)
			return i;
	}
	return n;
}

static size_t one_after(const struct hd_blame_step *list, size_t n, size_t i)
{
	uint32_t owner = list[i].owner;

	while (++i < n && list[i].owner != owner)
		;
	return i;
}

/* Where the critical section begins, and ends, that the decision @i is in; @i: it is in none. */
static size_t section_begin(const struct hd_blame_step *list, size_t n, size_t i)
{
	size_t before;

	while ((before = one_before(list, n, i)) < n && list[before].held)
		i = before;
	return i;
}

static size_t section_end(const struct hd_blame_step *list, size_t n, size_t i)
{
	size_t after;

	while (list[i].held && (after = one_after(list, n, i)) < n)
		i = after;
	return i;
}

struct mending {
	const struct hd_blame_step *list;
	struct hd_segment *out;
	size_t n;
};

static void append(struct mending *m, uint32_t thread, uint32_t count)
{
	struct hd_segment *last = m->n ? &m->out[m->n - 1] : NULL;

	if (last && last->thread == thread && last->count < HD_SEGMENT_ON - count &&
	    !(thread & (HD_SEGMENT_WAKE | HD_SEGMENT_TIME)))
		last->count += count;
	else
		m->out[m->n++] = (struct hd_segment){ thread, count };
}

/* Decisions from @from to before @to: those of @owner, or those of others. */
static void take(struct mending *m, size_t from, size_t to, uint32_t owner, bool own)
{
	for (size_t i = from; i < to; i++) {
		if ((m->list[i].owner == owner) == own)
			append(m, m->list[i].chosen, 1);
	}
}

/* The decisions of @f's thread, from its section's begin to the end of the one that @e2 is in, come after that. */
static void move_after(struct mending *m, size_t n, size_t f, size_t e2)
{
	size_t from = section_begin(m->list, n, f), to = section_end(m->list, n, e2) + 1;
	uint32_t owner = m->list[f].owner;

	for (size_t i = 0; i < from; i++)
		append(m, m->list[i].chosen, 1);
	take(m, from, to, owner, false);
	take(m, from, to, owner, true);
	for (size_t i = to; i < n; i++)
		append(m, m->list[i].chosen, 1);
}

struct hd_segment *hd_mend(const struct hd_blame_step *list, size_t n, const uint64_t event[3],
			   enum hd_mending how, size_t *nout)
{
	struct mending m = { .list = list, .out = calloc(n + 2, sizeof(*m.out)) };
	size_t e1 = decision_of(list, n, event[0]), f = decision_of(list, n, event[1]);
	bool ended = event[2] == HD_NO_INDEX;
	size_t e2 = ended ? n - 1 : decision_of(list, n, event[2]);
	bool later = how == HD_MEND_LATER;
	/* Between these, one thread goes first. */
	size_t from = later ? e1 + 1 : section_begin(list, n, e1);
	size_t to = (later && ended ? e2 : section_end(list, n, later ? e2 : f)) + 1;
	uint32_t first = list[later ? e1 : f].owner;

	if (!m.out)
		return NULL;
	if (how == HD_MEND_AFTER) {
		move_after(&m, n, f, e2);
		*nout = m.n;
		return m.out;
	}
	for (size_t i = 0; i < from; i++)
		append(&m, list[i].chosen, 1);
	if (later && ended)
		append(&m, list[e1].chosen, HD_SEGMENT_ON);
	else
		take(&m, from, to, first, true);
	take(&m, from, to, first, false);
	for (size_t i = to; i < n; i++)
		append(&m, list[i].chosen, 1);
	*nout = m.n;
	return m.out;
}

/* ---- and its runs ---------------------------------------------------------------------------- */

struct blaming {
	struct hd_campaign *c;
	struct hd_witness *w;
	const struct hd_found *wanted;
	bool declared;
	struct hd_blame_step *list;
	size_t n, room;
	uint32_t torn;	   /* the thread whose accesses they are */
	uint64_t from, to; /* events of the first one and the last one */
	bool waits;	   /* between them, for what others do */
	struct hd_segment *segments[HD_MENDINGS];
	size_t nsegments[HD_MENDINGS];
	bool spared; /* one of them did not fail so */
	enum hd_err rc;
};

/* Is the pattern in the run? */
static bool shows(const struct hd_trial *t, const struct hd_found *wanted, enum hd_err *rc)
{
	struct hd_errbuf eb = { 0 };
	struct hd_sites sites;
	bool found = true;

	if (hd_sites_find(&sites, t->trace, wanted, &found, &eb) != HD_OK)
		*rc = hd_error(HD_ERR_SYSTEM, "%s", eb.text);
	hd_sites_free(&sites);
	return *rc == HD_OK && found;
}

/* The run @t of a witness' failure is one without the pattern. */
static enum hd_err keep_without(struct hd_witness *w, struct hd_trial *t)
{
	w->without = hd_trial_keep(t);
	return w->without ? HD_OK : hd_error(HD_ERR_NOMEM, "out of memory");
}

/* What the owner of the last decision held when it had made the one before. */
static uint32_t held_before(const struct blaming *b)
{
	size_t before = one_before(b->list, b->n, b->n - 1);

	return before < b->n ? b->list[before].held : 0;
}

static void note_lock(struct blaming *b, const struct hd_event *ev)
{
	struct hd_blame_step *last = b->n ? &b->list[b->n - 1] : NULL;

	if (!last || last->owner != ev->thread)
		return;
	if (ev->op == HD_OP_ACQUIRE)
		last->held++;
	else if (ev->op == HD_OP_RELEASE && last->held)
		last->held--;
}

static bool note_decision(void *arg, const struct hd_event *ev, uint64_t index)
{
	struct blaming *b = arg;
	uint32_t thread = (uint32_t)ev->value;
	bool wake = ev->arg & HD_CHOICE_WAKE;

	note_lock(b, ev);
	b->waits |=
		ev->op == HD_OP_WAIT && ev->thread == b->torn && index > b->from && index < b->to;
	if (ev->op != HD_OP_CHOICE)
		return true;
	if (!HD_ROOM(b->list, b->room, b->n + 1))
		return false;
	b->list[b->n++] = (struct hd_blame_step){
		.owner = wake ? ev->thread : thread,
		.chosen = thread |
			  (wake			      ? HD_SEGMENT_WAKE
			   : ev->arg & HD_CHOICE_TIME ? HD_SEGMENT_TIME
						      : 0) |
			  (ev->arg & HD_CHOICE_WIDE ? HD_SEGMENT_WIDE : 0),
		.index = index,
	};
	b->list[b->n - 1].held = held_before(b);
	return true;
}

static bool mended_next(void *arg, size_t i, struct hd_trial *t)
{
	struct blaming *b = arg;

	/* Who does not wait needs none of the others between its accesses. */
	if (i == HD_MENDINGS || (i == HD_MEND_AFTER && !b->waits))
		return false;
	*t = hd_campaign_fine_trial(b->c);
	t->follow = HD_POLICY_SEGMENTS;
	t->segments = b->segments[i];
	t->nsegments = b->nsegments[i];
	return true;
}

static bool mended_take(void *arg, size_t i, struct hd_trial *t)
{
	struct blaming *b = arg;
	bool fails = t->trace && hd_campaign_fails_alike(b->c, &b->w->failure, t);

	b->c->executions++;
	b->spared = t->trace && !fails;
	if (!b->declared)
		return !b->spared;
	if (fails && !shows(t, b->wanted, &b->rc) && b->rc == HD_OK)
		b->rc = keep_without(b->w, t);
	return b->rc == HD_OK && !b->w->without;
}

static enum hd_err run_mended(struct blaming *b)
{
	struct hd_trials trials = {
		.program = &b->c->program, .arg = b, .next = mended_next, .take = mended_take
	};
	struct hd_pool pool = b->c->pool;

	pool.until = hd_budget_last();
	/* Who is in a hurry is told what there is. */
	b->spared |= hd_campaign_ended_early(b->c, hd_trials_run(&trials, &pool));
	return trials.rc != HD_OK ? trials.rc : b->rc;
}

/* ---- a loop that waits ----------------------------------------------------------------------- */

struct loop {
	const struct hd_found_access *first, *last;
	bool does_more, waits;
};

static bool is_memory(const struct hd_event *ev)
{
	enum hd_about about = hd_op_about(ev->op);

	return about == HD_ABOUT_MEMORY || about == HD_ABOUT_ATOMIC;
}

static bool note_in_loop(void *arg, const struct hd_event *ev, uint64_t index)
{
	struct loop *l = arg;

	if (index <= l->first->index || index >= l->last->index ||
	    ev->thread != l->first->event.thread)
		return true;
	l->waits |= ev->op == HD_OP_WAIT;
	if (is_memory(ev))
		l->does_more |= ev->addr != l->first->event.addr || ev->op != l->first->event.op;
	return true;
}

enum hd_err hd_campaign_only_waits(const struct hd_witness *w, const struct hd_found *wanted,
				   bool *waits)
{
	struct hd_errbuf eb = { 0 };
	struct hd_sites sites;
	struct loop l = { .first = &sites.accesses[0], .last = &sites.accesses[2] };
	bool found = false;
	enum hd_err rc = HD_OK;

	*waits = false;
	if (wanted->naccesses != 3 || !wanted->pattern || strcmp(wanted->pattern, "RWR") ||
	    /* Compilers test once before a loop and again at its end: one line at two places. */
	    !hd_run_same_line(&w->trial->run, wanted->accesses[0].event.pc,
			      wanted->accesses[2].event.pc))
		return HD_OK;
	if (hd_sites_find(&sites, w->trial->trace, wanted, &found, &eb) != HD_OK) {
		rc = hd_error(HD_ERR_SYSTEM, "%s", eb.text);
	} else if (found && sites.complete && l.first->event.ctx == l.last->event.ctx) {
		hd_trace_each(w->trial->trace, note_in_loop, &l);
		*waits = !l.does_more && (l.waits || l.first->event.pc == l.last->event.pc);
	}
	hd_sites_free(&sites);
	return rc;
}

/* ---- blame ------------------------------------------------------------------------------------ */

/* @sites: where the pattern is in the run. */
static enum hd_err blame(struct blaming *b, const struct hd_sites *sites)
{
	uint64_t event[3] = { sites->accesses[0].index, sites->accesses[1].index, HD_NO_INDEX };
	bool fixed = false;
	enum hd_err rc = HD_OK;

	if (sites->found.together) /* the other thread's second access */
		event[1] = sites->accesses[2].index;
	if (sites->complete)
		event[2] = sites->accesses[sites->found.naccesses - 1].index;
	if (sites->complete)
		rc = hd_fork_order_fixes(b->w->trial->trace, event, &fixed);
	if (rc != HD_OK || fixed)
		return rc;
	b->torn = sites->accesses[0].event.thread;
	b->from = event[0];
	b->to = event[2];
	if (!hd_trace_each(b->w->trial->trace, note_decision, b))
		rc = hd_error(HD_ERR_NOMEM, "out of memory");
	for (int i = 0; i < HD_MENDINGS && rc == HD_OK && b->n; i++) {
		b->segments[i] = hd_mend(b->list, b->n, event, i, &b->nsegments[i]);
		if (!b->segments[i])
			rc = hd_error(HD_ERR_NOMEM, "out of memory");
	}
	if (rc == HD_OK && b->n)
		rc = run_mended(b);
	else
		b->spared = true;
	return rc;
}

/* ---- the same failure without the pattern ---------------------------------------------------- */

#define OTHERS 64u /* runs in which it is looked for */

struct others {
	struct hd_campaign *c;
	struct hd_witness *w;
	const struct hd_found *wanted;
	size_t decisions; /* of the witness */
	unsigned taken;
	enum hd_err rc;
};

/* At random, and by random priorities, which hold few threads up for long. */
static bool other_next(void *arg, size_t i, struct hd_trial *t)
{
	struct others *o = arg;

	*t = hd_campaign_fine_trial(o->c);
	if (i % 2) {
		t->run_as.policy = HD_POLICY_PCT;
		t->run_as.pct_length = o->decisions;
	}
	t->run_as.seed = i + 1;
	return i < OTHERS;
}

static bool other_take(void *arg, size_t i, struct hd_trial *t)
{
	struct others *o = arg;
	bool found;

	o->c->executions++;
	o->taken++;
	if (!hd_campaign_fails_alike(o->c, &o->w->failure, t))
		return true;
	found = shows(t, o->wanted, &o->rc);
	if (o->rc != HD_OK || found)
		return o->rc == HD_OK;
	o->rc = keep_without(o->w, t);
	return false;
}

/* *@all: as many runs as it takes were made, or one was found. */
static enum hd_err find_without(struct hd_campaign *c, struct hd_witness *w,
				const struct hd_found *wanted, size_t decisions, bool *all)
{
	struct others o = { .c = c, .w = w, .wanted = wanted, .decisions = decisions };
	struct hd_trials trials = {
		.program = &c->program, .arg = &o, .next = other_next, .take = other_take
	};

	hd_campaign_ended_early(c, hd_trials_run(&trials, &c->pool));
	*all = w->without || o.taken == OTHERS;
	return trials.rc != HD_OK ? trials.rc : o.rc;
}

/*
 * Threads wait for each other in a run without the pattern as well. To put the pattern right changes what comes
 * after it, too, so it says nothing that they then do not: the waits are what there is to tell.
 */
static enum hd_err look_without(struct hd_campaign *c, struct hd_witness *w, bool *fails)
{
	struct hd_witness other = { .trial = w->without, .failure = w->failure };
	enum hd_err rc = hd_campaign_minimise(c, &other, NULL);

	*fails = rc == HD_OK && other.steady && !hd_campaign_is_stalled(c, other.trial);
	if (*fails) {
		other.without = w->trial;
		*w = other;
	} else {
		w->without = other.trial;
	}
	return rc;
}

/* *@spared: with the pattern put right in one of the ways, the run does not fail so. */
static enum hd_err put_right(struct blaming *b, const struct hd_found *wanted, bool *spared)
{
	struct hd_errbuf eb = { 0 };
	struct hd_sites sites;
	bool found;
	enum hd_err rc = HD_OK;

	*spared = true;
	if (hd_sites_find(&sites, b->w->trial->trace, wanted, &found, &eb) != HD_OK)
		rc = hd_error(HD_ERR_SYSTEM, "%s", eb.text);
	else if (found && sites.found.naccesses >= 2) {
		rc = blame(b, &sites);
		*spared = b->spared;
	}
	hd_sites_free(&sites);
	for (int i = 0; i < HD_MENDINGS; i++)
		free(b->segments[i]);
	free(b->list);
	return rc;
}

enum hd_err hd_campaign_blame(struct hd_campaign *c, struct hd_witness *w,
			      const struct hd_found *wanted, bool declared, bool *blamed)
{
	struct blaming b = { .c = c, .w = w, .wanted = wanted, .declared = declared };
	bool spared, all = true, fails = false;
	enum hd_err rc = put_right(&b, wanted, &spared);

	if (rc == HD_OK && !declared && spared && hd_failure_is_wait(&w->failure) && !w->without)
		rc = find_without(c, w, wanted, b.n, &all);
	if (rc == HD_OK && (declared || spared) && w->without)
		rc = look_without(c, w, &fails);
	*blamed = (declared || (spared && all)) && !fails;
	return rc;
}
