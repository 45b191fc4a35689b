/*
 * Semaphores, conditions, once and failed tries: the answers for random runs that use them,
 * against all orders of the runs' events by what these things really do. There, a
 * notification wakes whichever thread is waiting, or nobody.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/rng.h"
#include "instance_of.h"
#include "predict/solve.h"
#include "predict/validate.h"

#define SEED 20261115
#ifdef __SANITIZE_ADDRESS__ /* slow, and looks for other things */
#define RUNS 600
#else
#define RUNS 3000 /* with HEDDLE_TEST_FULL ten times as many */
#endif
#define THREADS	  3
#define MOST	  14 /* events of a thread */
#define SEEN	  (1u << 16)
#define MARKS	  0x10000ull
#define OBJECT(k) (0x1000ull + 64 * (k))
#define MUTEX	  OBJECT(0)
#define SEMAPHORE OBJECT(1)
#define CONDITION OBJECT(2)
#define ONCE	  OBJECT(3)
#define RWLOCK	  OBJECT(4)
#define WAITING	  1
#define NOTIFIED  2

/* What the threads are doing: events are fixed, their order is not. */
struct world {
	uint8_t at[THREADS], wait[THREADS];
	uint8_t permits, once, mutex; /* mutex: thread + 1 */
	uint8_t writer, readers;
	uint8_t met; /* events of the goal that have happened */
};

struct run {
	struct hd_event list[THREADS][MOST + 8];
	size_t index[THREADS][MOST + 8]; /* in the trace */
	uint8_t length[THREADS];
	struct hd_event events[THREADS * (MOST + 8)];
	size_t n;
	uint8_t permits;
	bool broadcasts; /* only */
};

struct goal {
	size_t order[3], norder; /* numbers of events */
	size_t next[2], nnext;
};

/* --- what happens --- */

static bool lock_event(struct world *w, uint32_t t, const struct hd_event *ev)
{
	bool shared = ev->arg & HD_LOCK_SHARED;

	if (ev->addr == RWLOCK) {
		bool held = w->writer || (!shared && w->readers);

		if (ev->op == HD_OP_ACQUIRE_FAIL)
			return held;
		if (ev->op == HD_OP_ACQUIRE && held)
			return false;
		if (shared)
			w->readers = (uint8_t)(w->readers + (ev->op == HD_OP_ACQUIRE ? 1 : -1));
		else
			w->writer = ev->op == HD_OP_ACQUIRE;
		return true;
	}
	if (ev->op == HD_OP_ACQUIRE) {
		if (w->mutex || w->wait[t] == WAITING)
			return false;
		w->mutex = (uint8_t)(t + 1);
	} else {
		w->mutex = 0;
	}
	return true;
}

/* Let the event happen, if it can. @woken: the thread that a notification wakes */
static bool happen(struct world *w, uint32_t t, const struct hd_event *ev, uint32_t woken)
{
	switch (ev->op) {
	case HD_OP_SEM_POST:
		w->permits++;
		return true;
	case HD_OP_SEM_WAIT:
		return w->permits && w->permits--;
	case HD_OP_ONCE_BEGIN:
		w->once++;
		return w->once == 1;
	case HD_OP_ONCE_END:
		w->once++;
		return true;
	case HD_OP_ONCE_PASS:
		return w->once == 2;
	case HD_OP_WAIT:
		w->wait[t] = WAITING;
		return true;
	case HD_OP_WAKE:
		w->wait[t] = 0;
		return true;
	case HD_OP_NOTIFY:
		if (woken < THREADS)
			w->wait[woken] = NOTIFIED;
		return true;
	case HD_OP_NOTIFY_ALL:
		for (uint32_t u = 0; u < THREADS; u++)
			if (w->wait[u] == WAITING)
				w->wait[u] = NOTIFIED;
		return true;
	case HD_OP_ACQUIRE:
	case HD_OP_RELEASE:
	case HD_OP_ACQUIRE_FAIL:
		return lock_event(w, t, ev);
	default:
		return true;
	}
}

static bool anyone_waits(const struct world *w)
{
	for (uint32_t u = 0; u < THREADS; u++)
		if (w->wait[u] == WAITING)
			return true;
	return false;
}

/* --- all orders --- */

static uint64_t seen[SEEN];

/* All else follows from how far the threads are. */
static bool first_time(const struct world *w)
{
	uint64_t key = 1;
	size_t i;

	for (uint32_t t = 0; t < THREADS; t++)
		key = key << 7 | (uint64_t)w->at[t] << 2 | w->wait[t];
	for (i = (key * 0x9e3779b97f4a7c15ull) >> 48; seen[i]; i = (i + 1) % SEEN)
		if (seen[i] == key)
			return false;
	seen[i] = key;
	return true;
}

static bool reached(const struct run *r, const struct goal *g, const struct world *w)
{
	if (w->met < g->norder)
		return false;
	for (size_t i = 0; i < g->nnext; i++) {
		uint32_t t = r->events[g->next[i]].thread - 1;

		if (w->at[t] >= r->length[t] || r->index[t][w->at[t]] != g->next[i])
			return false;
	}
	return true;
}

static bool explore(const struct run *r, const struct goal *g, const struct world *from);

static bool go(const struct run *r, const struct goal *g, struct world w, uint32_t t,
	       uint32_t woken)
{
	size_t index = r->index[t][w.at[t]];

	if (!happen(&w, t, &r->list[t][w.at[t]], woken))
		return false;
	for (size_t i = 0; i < g->norder; i++)
		if (g->order[i] == index && w.met++ != i)
			return false;
	w.at[t]++;
	return explore(r, g, &w);
}

static bool explore(const struct run *r, const struct goal *g, const struct world *from)
{
	if (reached(r, g, from))
		return true;
	if (!first_time(from))
		return false;
	for (uint32_t t = 0; t < THREADS; t++) {
		if (from->at[t] == r->length[t])
			continue;
		if (r->list[t][from->at[t]].op != HD_OP_NOTIFY || !anyone_waits(from)) {
			if (go(r, g, *from, t, THREADS))
				return true;
			continue;
		}
		for (uint32_t u = 0; u < THREADS; u++)
			if (from->wait[u] == WAITING && go(r, g, *from, t, u))
				return true;
	}
	return false;
}

static bool feasible(const struct run *r, const struct goal *g)
{
	struct world w = { .permits = r->permits };

	memset(seen, 0, sizeof(seen));
	return explore(r, g, &w);
}

/* --- random runs --- */

struct maker {
	struct hd_rng rng;
	struct run *r;
	struct world w;
	struct hd_event todo[THREADS][8]; /* what a thread has begun to do */
	size_t ntodo[THREADS], done[THREADS];
	bool holds[THREADS]; /* the read-write lock: */
	bool shared[THREADS];
	uint32_t marks;
};

static uint32_t below(struct maker *m, uint32_t n)
{
	return (uint32_t)hd_rng_below(&m->rng, n);
}

static void plan(struct maker *m, uint32_t t, uint16_t op, uint64_t addr, uint16_t arg)
{
	m->todo[t][m->ntodo[t]++] =
		(struct hd_event){ .op = (uint8_t)op, .thread = t + 1, .addr = addr, .arg = arg };
}

static void plan_lock(struct maker *m, uint32_t t)
{
	if (m->holds[t]) {
		plan(m, t, HD_OP_RELEASE, RWLOCK,
		     HD_LOCK_RWLOCK | (m->shared[t] ? HD_LOCK_SHARED : 0));
		m->holds[t] = false;
	} else {
		uint16_t mode = HD_LOCK_RWLOCK | HD_LOCK_TRY | (below(m, 2) ? HD_LOCK_SHARED : 0);

		plan(m, t, HD_OP_ACQUIRE, RWLOCK, mode); /* or it fails, see begin() */
	}
}

/* What @t is to do next; kinds: which of the things below the run has. */
static void choose(struct maker *m, uint32_t t, uint32_t kinds)
{
	m->ntodo[t] = m->done[t] = 0;
	switch (below(m, 6)) {
	case 0:
		if (kinds & 1)
			plan(m, t, below(m, 2) ? HD_OP_SEM_POST : HD_OP_SEM_WAIT, SEMAPHORE, 0);
		break;
	case 1:
		if (kinds & 2) {
			plan(m, t, HD_OP_ACQUIRE, MUTEX, 0);
			plan(m, t, HD_OP_WAIT, CONDITION, 0);
			plan(m, t, HD_OP_RELEASE, MUTEX, 0);
			plan(m, t, HD_OP_ACQUIRE, MUTEX, 0);
			plan(m, t, HD_OP_WAKE, CONDITION, 0);
			plan(m, t, HD_OP_RELEASE, MUTEX, 0);
		}
		break;
	case 2:
		if (kinds & 2)
			plan(m, t,
			     m->r->broadcasts || below(m, 4) == 0 ? HD_OP_NOTIFY_ALL : HD_OP_NOTIFY,
			     CONDITION, 0);
		break;
	case 3:
		if (kinds & 4)
			plan(m, t, HD_OP_ONCE_PASS, ONCE, 0); /* or it is the first */
		break;
	case 4:
		if (kinds & 8)
			plan_lock(m, t);
		break;
	default:
		plan(m, t, HD_OP_WRITE, MARKS + 8 * m->marks++, 0);
		break;
	}
}

/* What it comes to depends on when it happens. */
static void settle(struct maker *m, uint32_t t, struct hd_event *ev)
{
	bool shared = ev->arg & HD_LOCK_SHARED;

	if (ev->op == HD_OP_ONCE_PASS && m->w.once == 0) {
		ev->op = HD_OP_ONCE_BEGIN;
		plan(m, t, HD_OP_ONCE_END, ONCE, 0);
	}
	if (ev->addr == RWLOCK && ev->op == HD_OP_ACQUIRE) {
		if (m->w.writer || (!shared && m->w.readers)) {
			ev->op = HD_OP_ACQUIRE_FAIL;
		} else {
			m->holds[t] = true;
			m->shared[t] = shared;
		}
	}
}

static void record(struct maker *m, uint32_t t, struct hd_event ev, uint32_t woken)
{
	struct run *r = m->r;

	if (ev.op == HD_OP_SEM_POST || ev.op == HD_OP_SEM_WAIT)
		ev.value = m->w.permits;
	else if (ev.op == HD_OP_WAIT)
		ev.value = MUTEX;
	else if (ev.op == HD_OP_NOTIFY)
		ev.value = woken < THREADS ? woken + 1 : 0;
	else if (ev.op == HD_OP_WAKE)
		ev.value = 1; /* by somebody */
	if (ev.op == HD_OP_WRITE)
		ev.size = 4;
	r->list[t][r->length[t]] = ev;
	r->index[t][r->length[t]++] = r->n;
	r->events[r->n++] = ev;
}

static void step(struct maker *m, uint32_t t, uint32_t kinds)
{
	struct world w = m->w;
	struct hd_event ev;
	uint32_t woken = THREADS;

	if (m->done[t] == m->ntodo[t]) {
		if (m->r->length[t] < MOST)
			choose(m, t, kinds);
		if (m->done[t] == m->ntodo[t])
			return;
	}
	ev = m->todo[t][m->done[t]];
	if (m->r->length[t] >= MOST + 6)
		return;
	settle(m, t, &ev);
	for (uint32_t k = below(m, THREADS), i = 0; ev.op == HD_OP_NOTIFY && i < THREADS; i++)
		if (w.wait[(k + i) % THREADS] == WAITING)
			woken = (k + i) % THREADS;
	if (!happen(&w, t, &ev, woken))
		return;
	m->w = w;
	m->done[t]++;
	record(m, t, ev, woken);
}

static void make_run(struct maker *m, struct run *r, uint32_t kinds)
{
	uint32_t steps = 12 + below(m, 30);

	*r = (struct run){ .permits = (uint8_t)below(m, 2), .broadcasts = below(m, 2) };
	m->r = r;
	m->w = (struct world){ .permits = r->permits };
	memset(m->ntodo, 0, sizeof(m->ntodo));
	memset(m->done, 0, sizeof(m->done));
	memset(m->holds, 0, sizeof(m->holds));
	m->marks = 0;
	for (uint32_t i = 0; i < steps; i++)
		step(m, below(m, THREADS), kinds);
}

/* Marks are what a goal is about: their values are nobody's business. */
static bool pick_mark(struct maker *m, const struct run *r, size_t *out)
{
	for (int tries = 0; r->n && tries < 40; tries++) {
		*out = hd_rng_below(&m->rng, r->n);
		if (r->events[*out].op == HD_OP_WRITE)
			return true;
	}
	return false;
}

static bool make_goal(struct maker *m, const struct run *r, struct goal *g)
{
	*g = (struct goal){ .norder = 2 + below(m, 2) };
	if (below(m, 4) == 0)
		*g = (struct goal){ .nnext = 2 };
	for (size_t i = 0; i < g->norder; i++) {
		if (!pick_mark(m, r, &g->order[i]))
			return false;
		for (size_t k = 0; k < i; k++)
			if (g->order[k] == g->order[i])
				return false;
	}
	for (size_t i = 0; i < g->nnext; i++)
		if (!pick_mark(m, r, &g->next[i]))
			return false;
	return !g->nnext || r->events[g->next[0]].thread != r->events[g->next[1]].thread;
}

/* --- the comparison --- */

static void describe(const struct run *r, const struct goal *g)
{
	for (size_t i = 0; i < r->n; i++)
		print_message("%2zu T%u op %u object %llx value %llu arg %u\n", i,
			      r->events[i].thread, r->events[i].op,
			      (unsigned long long)r->events[i].addr,
			      (unsigned long long)r->events[i].value, r->events[i].arg);
	for (size_t i = 0; i < g->norder; i++)
		print_message("order %zu\n", g->order[i]);
	for (size_t i = 0; i < g->nnext; i++)
		print_message("next %zu\n", g->next[i]);
}

static enum hd_answer ask(const struct run *r, const struct goal *g)
{
	struct hd_instance in = instance_of_events(r->events, r->n);
	struct hd_step_goal goal = { .norder = g->norder, .nnext = g->nnext };
	uint32_t *all = calloc(in.nsteps + 1, sizeof(*all)), last;
	struct hd_errbuf eb = { 0 };
	struct hd_solution s;

	assert_non_null(all);
	for (uint32_t i = 0; i < in.nsteps; i++)
		all[i] = i;
	if (hd_validate(&in, &(struct hd_step_goal){ 0 }, all, in.nsteps, &eb))
		fail_msg("the run as it was: %s", eb.text);
	free(all);
	for (size_t i = 0; i < g->norder; i++)
		assert_true(hd_instance_steps_of(&in, g->order[i], &goal.order[i], &last));
	for (size_t i = 0; i < g->nnext; i++)
		assert_true(hd_instance_steps_of(&in, g->next[i], &goal.next[i], &last));
	if (hd_solve(&in, &goal, NULL, &s, &eb))
		fail_msg("%s", eb.text);
	hd_solution_free(&s);
	hd_instance_free(&in);
	return s.answer;
}

/* @exact: nothing is assumed, so that every question has an answer */
static void compare(uint32_t kinds, int runs, bool exact)
{
	struct maker m = { .marks = 0 };
	int counts[2][3] = { { 0 } };

	if (getenv("HEDDLE_TEST_FULL"))
		runs *= 10;
	print_message("seed %d\n", SEED + (int)kinds);
	hd_rng_seed(&m.rng, SEED + kinds);
	for (int i = 0; i < runs;) {
		struct run r;
		struct goal g;
		enum hd_answer a;
		bool yes;

		make_run(&m, &r, kinds);
		if (!make_goal(&m, &r, &g))
			continue;
		a = ask(&r, &g);
		yes = feasible(&r, &g);
		if (a == (yes ? HD_INFEASIBLE : HD_FEASIBLE) || (exact && a == HD_UNDECIDED)) {
			describe(&r, &g);
			fail_msg("all orders say %d, the solver %d", yes, a);
		}
		counts[yes][a]++;
		i++;
	}
	print_message(
		"kinds %u: %d feasible, %d not; for what is assumed %d and %d are left open\n",
		kinds, counts[1][HD_FEASIBLE], counts[0][HD_INFEASIBLE], counts[1][HD_UNDECIDED],
		counts[0][HD_UNDECIDED]);
	assert_true(counts[1][HD_FEASIBLE] > runs / 10 && counts[0][HD_INFEASIBLE] > runs / 10);
}

static void semaphores_once_and_tries(void **state)
{
	(void)state;
	compare(1, RUNS / 3, true);
	compare(4, RUNS / 3, true);
	compare(8, RUNS / 3, true);
	compare(1 | 4 | 8, RUNS, true);
}

static void conditions(void **state)
{
	(void)state;
	compare(2, RUNS, false);
	compare(1 | 2 | 4, RUNS, false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(semaphores_once_and_tries),
		cmocka_unit_test(conditions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
