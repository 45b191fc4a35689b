/*
 * Steps of OpenMP programs (task_steps.c) against what the constructs mean: random programs of nested
 * teams, barriers, loops with and without order between iterations, tasks, dependences between them, taskwait and
 * taskgroup, and events that whoever likes fulfils and other tasks have waited for.
 * The events are those that src/openmp makes; by the definition, each strand (a thread, an
 * iteration, a task) carries the set of accesses that are over, and every two accesses are asked
 * about. Once for shared memory, and once for memory of a thread's own, where iterations of one
 * thread come one after the other.
 *
 * Iterations of a loop that is given out as threads come could all be other threads': by the definition
 * they are after what was over when the phase began, and what comes behind the loop is not after them. Where
 * tasks, order between iterations or locks let somebody learn of such an iteration, the analysis may take it as
 * the thread's that ran it (that is never a false report); in programs without these it must not.
 *
 * HEDDLE_TEST_FULL=1: ten times as many. HEDDLE_TEST_SEED=N: only that one, with its events.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/tasks/task_steps.h"
#include "common/rng.h"

#ifdef __SANITIZE_ADDRESS__ /* slow, and looks for other things */
#define PROGRAMS 10000
#else
#define PROGRAMS 100000
#endif
#define NODES	17 /* accesses of a program */
#define TASKS	64
#define THREADS 3
#define UNITS	6
#define EVENTS	4

struct over {
	uint64_t shared, own; /* bit i: access i is over; about memory of both kinds */
	uint64_t by_thread;   /* as shared, if every iteration could only be its thread's */
};

struct group {
	struct group *outer;
	uint64_t number;
	struct over over; /* of all that has ended in it */
	int pending;
	struct task *joins[TASKS];
	int njoins;
};

/* A task, or (implicit) what a thread of a team does. */
struct task {
	uint32_t id;
	bool implicit, ended, loose, loose_child;
	struct team *team;
	struct task *parent;
	struct over over;
	int unit;		/* that it was made in, counted through the program; 0: none */
	int in_unit;		/* that it is in */
	bool in_pool, of_pool;	/* and that is anybody's; it was made in one of these */
	struct over waited_for; /* over for what comes behind the units */
	struct over at_phase;
	uint64_t finish;
	struct group *group, *home, *finish_group;
	struct task *children[TASKS];
	int nchildren, alive;
	struct task *joins[TASKS];
	int njoins;
	struct task *needs[2]; /* siblings made earlier, which it depends on */
	int nneeds;
	uint64_t end; /* its end, for those that depend on it */
};

struct team {
	uint64_t addr, phase;
	int n;
	struct task *threads[THREADS];
	struct task *ready[TASKS]; /* tasks that have not begun */
	int nready;
	struct over over; /* of tasks that have ended */
	struct over before;
	struct task *joins[TASKS];
	int njoins;
	bool outside; /* nobody's: tasks are not made */
};

struct program {
	struct hd_steps steps;
	struct hd_rng r;
	uint64_t seed;
	hd_dpst_id step[NODES];
	struct over before[NODES];
	int n;
	struct task *tasks[TASKS];
	int ntasks;
	struct over fulfilled[EVENTS];
	uint64_t event[EVENTS];
	int nevents;
	uint32_t ids;
	uint64_t numbers, addr;
	int units, depth;
	bool plain; /* threads, barriers and loops alone */
	bool wrong;
	uint64_t told_apart;
};

static unsigned below(struct program *p, unsigned n)
{
	return (unsigned)hd_rng_below(&p->r, n);
}

static bool loud;

static void tell(struct program *p, uint32_t thread, enum hd_op op, uint64_t addr, uint64_t value,
		 uint16_t arg)
{
	const struct hd_event ev = {
		.thread = thread, .op = (uint8_t)op, .addr = addr, .value = value, .arg = arg
	};

	if (loud)
		printf("T%u %s %llu %llu arg %u\n", thread, hd_op_info[op].name,
		       (unsigned long long)addr, (unsigned long long)value, arg);
	assert_true(hd_steps_event(&p->steps, &ev));
}

static void add(struct over *to, struct over what)
{
	to->shared |= what.shared;
	to->own |= what.own;
	to->by_thread |= what.by_thread;
}

/* ---- accesses: where both are compared ----------------------------------------------------------- */

static void compare(struct program *p, int a, int b, bool own)
{
	uint64_t over = own ? p->before[b].own : p->before[b].shared;
	bool want = !(over >> a & 1), got;
	bool either = !own && want && p->before[b].by_thread >> a & 1;

	if (p->step[a] == p->step[b])
		return;
	p->steps.tree.own = own;
	got = hd_steps_parallel(&p->steps, p->step[a], p->step[b]);
	p->steps.tree.own = false;
	p->told_apart += either && got;
	if (got == want || (either && !p->plain) || p->wrong)
		return;
	p->wrong = true;
	printf("seed %llu: accesses %d and %d (steps %u, %u)%s are %s, not %s\n",
	       (unsigned long long)p->seed, a, b, p->step[a], p->step[b],
	       own ? " of a thread's own memory" : "", got ? "parallel" : "ordered",
	       want ? "parallel" : "ordered");
}

static void access_memory(struct program *p, struct task *t)
{
	struct hd_task *task = hd_steps_task(&p->steps, t->id);
	hd_dpst_id step = hd_steps_now(&p->steps, task);

	if (p->n == NODES)
		return;
	if (loud)
		printf("T%u access %d\n", t->id, p->n);
	p->step[p->n] = step;
	p->before[p->n] = t->over;
	for (int a = 0; a < p->n; a++) {
		compare(p, a, p->n, false);
		compare(p, a, p->n, true);
	}
	t->over.shared |= 1ull << p->n;
	t->over.own |= 1ull << p->n;
	t->over.by_thread |= 1ull << p->n;
	p->n++;
}

/* ---- tasks, as in omp_task.c and omp_wait.c ------------------------------------------------------- */

static void run(struct program *p, struct task *t, int length);

static struct task *new_task(struct program *p, struct task *parent, struct team *team)
{
	struct task *t;

	if (p->ntasks == TASKS)
		return NULL;
	t = calloc(1, sizeof(*t));
	assert_non_null(t);
	p->tasks[p->ntasks++] = t;
	t->parent = parent;
	t->team = team;
	return t;
}

static void close_finish(struct program *p, struct task *t, bool waited)
{
	if (!t->finish)
		return;
	t->loose |= !waited;
	tell(p, t->id, HD_OP_FINISH_END, 0, t->finish, waited ? 0 : 2);
	t->finish = 0;
}

static void join_all(struct program *p, struct task *by, struct task **joins, int *n,
		     const struct group *group, bool all)
{
	int left = 0;

	for (int i = 0; i < *n; i++) {
		if (all || joins[i]->home == group)
			tell(p, by->id, HD_OP_JOIN, 0, joins[i]->id, 0);
		else
			joins[left++] = joins[i];
	}
	*n = left;
}

static void move_joins(struct task *t)
{
	struct task **to = t->home ? t->home->joins : t->team->joins;
	int *n = t->home ? &t->home->njoins : &t->team->njoins;

	for (int i = 0; i < t->njoins; i++)
		to[(*n)++] = t->joins[i];
	t->njoins = 0;
}

static void run_task(struct program *p, struct task *t)
{
	struct team *team = t->team;

	for (int i = 0; i < team->nready; i++) {
		if (team->ready[i] == t)
			team->ready[i] = team->ready[--team->nready];
	}
	tell(p, t->id, HD_OP_THREAD_BEGIN, 0, 0, 0);
	tell(p, t->id, HD_OP_TASK_BEGIN, 0, t->id, 0);
	for (int i = 0; i < t->nneeds; i++) {
		tell(p, t->id, HD_OP_FUTURE_GET, t->needs[i]->end, 0, 0);
		add(&t->over, t->needs[i]->over);
	}
	run(p, t, 3);
	close_finish(p, t, false);
	t->end = p->addr += 64;
	tell(p, t->id, HD_OP_FUTURE_PUT, t->end, 0, 0);
	tell(p, t->id, HD_OP_PHASER_SIGNAL, team->addr, team->phase, HD_TEAM_TASK);
	tell(p, t->id, HD_OP_TASK_END, 0, t->id, 0);
	tell(p, t->id, HD_OP_THREAD_END, 0, 0, 0);
	t->ended = true;
	move_joins(t);
	if (!t->parent->ended) {
		t->parent->joins[t->parent->njoins++] = t;
	} else if (t->home) {
		t->home->joins[t->home->njoins++] = t;
	} else {
		team->joins[team->njoins++] = t;
	}
	t->parent->loose_child |= t->loose;
	t->parent->alive--;
	if (t->home)
		t->home->pending--;
	for (struct group *g = t->home; g; g = g->outer)
		add(&g->over, t->over);
	add(&team->over, t->over);
}

static bool may_begin(const struct task *t)
{
	for (int i = 0; i < t->nneeds; i++) {
		if (!t->needs[i]->ended)
			return false;
	}
	return true;
}

/* Siblings of other iterations are not meant: other threads might have run these. */
static void need_siblings(struct program *p, const struct task *me, struct task *t)
{
	while (t->nneeds < 2 && me->nchildren && below(p, 2)) {
		struct task *before = me->children[below(p, (unsigned)me->nchildren)];

		if (before->unit == t->unit)
			t->needs[t->nneeds++] = before;
		else
			break;
	}
}

static void make_task(struct program *p, struct task *me)
{
	struct task *t = me->team->outside || p->plain ? NULL : new_task(p, me, me->team);

	if (!t)
		return;
	t->home = t->group = me->group;
	t->unit = me->in_unit;
	t->of_pool = me->in_pool;
	if (!me->finish) {
		me->finish = ++p->numbers;
		me->finish_group = me->group;
		me->loose_child = false;
		tell(p, me->id, HD_OP_FINISH_BEGIN, 0, me->finish, 0);
	}
	t->id = ++p->ids;
	t->over = me->over;
	need_siblings(p, me, t);
	me->children[me->nchildren++] = t;
	me->alive++;
	if (t->home)
		t->home->pending++;
	tell(p, me->id, HD_OP_FORK, 0, t->id, 0);
	tell(p, me->id, HD_OP_TASK_SPAWN, 0, t->id, 0);
	me->team->ready[me->team->nready++] = t;
	if (below(p, 2) && may_begin(t))
		run_task(p, t);
}

static void run_some(struct program *p, struct team *team)
{
	unsigned first = team->nready ? below(p, (unsigned)team->nready) : 0;

	for (int i = 0; i < team->nready; i++) {
		struct task *t = team->ready[(first + (unsigned)i) % (unsigned)team->nready];

		if (may_begin(t)) {
			run_task(p, t);
			return;
		}
	}
}

/*
 * Children are over; theirs are only if they waited for them. In an iteration, those of other
 * iterations are not meant: other threads might have run these. They are for what the thread does behind
 * its iterations.
 */
static void taskwait(struct program *p, struct task *me)
{
	while (me->alive)
		run_some(p, me->team);
	if (me->finish && me->finish_group == me->group) {
		if (me->loose_child)
			close_finish(p, me, false);
		join_all(p, me, me->joins, &me->njoins, NULL, true);
		close_finish(p, me, true);
	} else {
		join_all(p, me, me->joins, &me->njoins, NULL, true);
	}
	for (int i = 0; i < me->nchildren; i++) {
		const struct task *t = me->children[i];

		me->over.own |= t->over.own;
		me->waited_for.by_thread |= t->over.by_thread;
		if (!t->of_pool) /* else another thread may have waited */
			me->waited_for.shared |= t->over.shared;
		if (!me->in_unit || t->unit == me->in_unit)
			me->over.by_thread |= t->over.by_thread;
		if (me->in_unit ? t->unit == me->in_unit : !t->unit)
			me->over.shared |= t->over.shared;
	}
}

static void taskgroup(struct program *p, struct task *me)
{
	struct group *g;

	if (me->team->outside || p->plain)
		return;
	g = calloc(1, sizeof(*g));
	assert_non_null(g);
	g->outer = me->group;
	g->number = ++p->numbers;
	me->group = g;
	tell(p, me->id, HD_OP_FINISH_BEGIN, 0, g->number, 0);
	run(p, me, 2);
	while (g->pending)
		run_some(p, me->team);
	join_all(p, me, me->joins, &me->njoins, g, false);
	join_all(p, me, g->joins, &g->njoins, NULL, true);
	if (me->finish && me->finish_group == g) {
		tell(p, me->id, HD_OP_FINISH_END, 0, me->finish, 0);
		me->finish = 0;
	}
	tell(p, me->id, HD_OP_FINISH_END, 0, g->number, 0);
	add(&me->over, g->over);
	me->group = g->outer;
	free(g);
}

/* ---- teams, as in omp_team.c and omp_barrier.c ------------------------------------------------------ */

/* All that is over when all have come, tasks too. */
static struct over arrive(struct program *p, struct team *team)
{
	struct over all = { 0 };

	for (int i = 0; i < team->n; i++) {
		close_finish(p, team->threads[i], false);
		tell(p, team->threads[i]->id, HD_OP_PHASER_SIGNAL, team->addr, team->phase,
		     HD_TEAM_BARRIER);
	}
	while (team->nready)
		run_some(p, team);
	for (int i = 0; i < team->n; i++)
		add(&all, team->threads[i]->over);
	add(&all, team->over);
	all.shared |= all.by_thread & ~team->before.by_thread; /* whoever did it */
	return all;
}

static void barrier(struct program *p, struct team *team)
{
	struct over all = arrive(p, team);
	int first = (int)below(p, (unsigned)team->n);

	for (int k = 0; k < team->n; k++) {
		int i = (first + k) % team->n;
		struct task *t = team->threads[i];

		join_all(p, t, t->joins, &t->njoins, NULL, true);
		if (!i)
			join_all(p, t, team->joins, &team->njoins, NULL, true);
		tell(p, t->id, HD_OP_PHASER_WAIT, team->addr, team->phase, HD_TEAM_BARRIER);
		t->over = t->at_phase = all;
		t->nchildren = 0;
	}
	team->phase++;
}

enum loop_kind { LOOP_PLAIN, LOOP_ORDERED, LOOP_DOACROSS };

/* What an iteration does to be in order with others. */
static void be_in_order(struct program *p, struct task *t, enum loop_kind kind, uint64_t object,
			struct over *posted, int k)
{
	if (kind == LOOP_ORDERED && below(p, 4)) {
		tell(p, t->id, HD_OP_FUTURE_GET, object, 0, 0);
		add(&t->over, posted[0]);
		run(p, t, 2);
		tell(p, t->id, HD_OP_FUTURE_PUT, object, 0, 0);
		posted[0] = t->over;
	}
	for (int i = 0; kind == LOOP_DOACROSS && i < k; i++) {
		if (below(p, 3) || !posted[i].shared)
			continue;
		tell(p, t->id, HD_OP_FUTURE_GET, object + (uint64_t)i, 0, 0);
		add(&t->over, posted[i]);
		access_memory(p, t);
	}
	if (kind == LOOP_DOACROSS && below(p, 4)) {
		access_memory(p, t); /* something is over, so that it shows */
		tell(p, t->id, HD_OP_FUTURE_PUT, object + (uint64_t)k, 0, 0);
		posted[k] = t->over;
	}
}

static void loop(struct program *p, struct team *team)
{
	enum loop_kind kind = p->plain ? LOOP_PLAIN : (enum loop_kind)below(p, 3);
	bool anybodys = team->n > 1 && below(p, 2);
	struct over before[THREADS], behind[THREADS], posted[UNITS] = { 0 };
	uint64_t numbers[THREADS] = { 0 }, object = p->addr += 64;
	int n = 1 + (int)below(p, UNITS);

	for (int i = 0; i < team->n; i++)
		before[i] = behind[i] = team->threads[i]->over;
	for (int k = 0; k < n; k++) {
		int i = (int)below(p, (unsigned)team->n);
		struct task *t = team->threads[i];

		close_finish(p, t, false);
		if (!numbers[i])
			numbers[i] = ++p->numbers;
		tell(p, t->id, HD_OP_ITERATION, 0, numbers[i],
		     anybodys ? HD_UNIT_ANYBODYS : HD_UNIT_ONE);
		t->in_unit = ++p->units;
		t->in_pool = anybodys;
		t->over.shared = anybodys ? t->at_phase.shared : before[i].shared;
		t->over.by_thread = before[i].by_thread;
		run(p, t, 2);
		be_in_order(p, t, kind, object, posted, k);
		run(p, t, (int)below(p, 2));
		close_finish(p, t, false);
		t->in_unit = 0;
		t->in_pool = false;
		add(&behind[i], t->over);
	}
	for (int i = 0; i < team->n; i++) {
		/* In the middle of its last iteration: what comes next is behind all of them. */
		bool left = !p->plain && numbers[i] && !below(p, 3);

		if (numbers[i])
			tell(p, team->threads[i]->id, HD_OP_ITERATION, 0, numbers[i],
			     left ? HD_UNIT_LEFT : HD_UNIT_OVER);
		team->threads[i]->over = behind[i];
		if (anybodys && left)
			team->threads[i]->over.shared |=
				behind[i].by_thread & ~team->before.by_thread;
		else if (anybodys)
			team->threads[i]->over.shared = before[i].shared;
		else
			team->threads[i]->over.shared |= team->threads[i]->waited_for.shared;
		team->threads[i]->over.by_thread |= team->threads[i]->waited_for.by_thread;
	}
}

static void parallel(struct program *p, struct task *me)
{
	struct team *team;
	uint64_t finish = ++p->numbers, first = ++p->numbers;
	struct over all;

	if (p->depth == 2 || p->ntasks + THREADS > TASKS)
		return;
	p->depth++;
	team = calloc(1, sizeof(*team));
	assert_non_null(team);
	team->n = 1 + (int)below(p, THREADS);
	team->addr = p->addr += 4096;
	team->before = me->over;
	tell(p, me->id, HD_OP_FINISH_BEGIN, 0, finish, 0);
	tell(p, me->id, HD_OP_FINISH_BEGIN, 0, first, 0);
	for (int i = 0; i < team->n; i++) {
		struct task *t = team->threads[i] = new_task(p, me, team);

		t->implicit = true;
		t->over = t->at_phase = me->over;
		t->id = i ? ++p->ids : me->id;
		if (i) {
			tell(p, me->id, HD_OP_FORK, 0, t->id, 0);
			tell(p, me->id, HD_OP_TASK_SPAWN, 0, t->id, 0);
		}
	}
	for (int i = 1; i < team->n; i++) {
		tell(p, team->threads[i]->id, HD_OP_THREAD_BEGIN, 0, 0, 0);
		tell(p, team->threads[i]->id, HD_OP_TASK_BEGIN, 0, team->threads[i]->id, 0);
	}
	for (unsigned k = 1 + below(p, 4); k; k--) {
		for (int i = 0; i < team->n; i++)
			run(p, team->threads[i], 2);
		if (below(p, 2))
			loop(p, team);
		if (below(p, 2))
			barrier(p, team);
	}
	all = arrive(p, team);
	for (int i = 1; i < team->n; i++) {
		struct task *t = team->threads[i];

		tell(p, t->id, HD_OP_TASK_END, 0, t->id, 0);
		tell(p, t->id, HD_OP_THREAD_END, 0, 0, 0);
		t->ended = true;
		for (int k = 0; k < t->njoins; k++)
			team->joins[team->njoins++] = t->joins[k];
		team->joins[team->njoins++] = t;
	}
	team->phase++;
	team->threads[0]->ended = true;
	join_all(p, me, team->threads[0]->joins, &team->threads[0]->njoins, NULL, true);
	join_all(p, me, team->joins, &team->njoins, NULL, true);
	tell(p, me->id, HD_OP_PHASER_WAIT, team->addr, team->phase - 1, HD_TEAM_LAST);
	tell(p, me->id, HD_OP_FINISH_END, 0, finish, 0);
	me->over = all;
	free(team);
	p->depth--;
}

/* ---- events ----------------------------------------------------------------------------------------- */

static void fulfil(struct program *p, struct task *t)
{
	if (p->plain || t->team->outside || p->nevents == EVENTS)
		return;
	p->event[p->nevents] = p->addr += 64;
	p->fulfilled[p->nevents] = t->over;
	tell(p, t->id, HD_OP_FUTURE_PUT, p->event[p->nevents++], 0, 0);
}

/* Of a thread of a team that waits, what it has run of loops is over. */
static void wait_for_event(struct program *p, struct task *t)
{
	unsigned which;

	if (t->team->outside || !p->nevents)
		return;
	which = below(p, (unsigned)p->nevents);
	tell(p, t->id, HD_OP_FUTURE_GET, p->event[which], 0, 0);
	add(&t->over, p->fulfilled[which]);
	if (t->implicit && !t->in_unit)
		t->over.shared |= t->over.by_thread & ~t->team->before.by_thread;
}

/* ---- programs --------------------------------------------------------------------------------------- */

static void run(struct program *p, struct task *t, int length)
{
	for (int i = 0; i < length && p->n < NODES; i++) {
		switch (below(p, 12)) {
		case 10:
			fulfil(p, t);
			break;
		case 11:
			wait_for_event(p, t);
			break;
		case 0:
		case 1:
			make_task(p, t);
			break;
		case 2:
			taskwait(p, t);
			break;
		case 3:
			taskgroup(p, t);
			break;
		case 4:
			if (!below(p, 3))
				parallel(p, t);
			break;
		case 5:
			if (!t->team->outside)
				run_some(p, t->team);
			break;
		default:
			access_memory(p, t);
		}
	}
}

static bool one(uint64_t seed, uint64_t *told_apart)
{
	struct program p = { .seed = seed, .ids = 1, .addr = 0x10000, .plain = seed % 4 == 0 };
	struct team outside = { .n = 1, .outside = true };
	struct task *t;

	hd_rng_seed(&p.r, seed);
	assert_true(hd_steps_init(&p.steps));
	t = new_task(&p, NULL, &outside);
	t->id = 1;
	tell(&p, 1, HD_OP_THREAD_BEGIN, 0, 0, 0);
	for (int i = 0; i < 3; i++) {
		access_memory(&p, t);
		parallel(&p, t);
	}
	access_memory(&p, t);
	hd_steps_free(&p.steps);
	for (int i = 0; i < p.ntasks; i++)
		free(p.tasks[i]);
	*told_apart += p.told_apart;
	return !p.wrong;
}

/* Of millions, those in which a barrier within a loop's iteration forgot what another region had told the loop. */
static const uint64_t rare[] = { 248249, 967358, 1196805, 2391435, 3244283, 3394711 };

static void against_the_definition(void **state)
{
	const char *given = getenv("HEDDLE_TEST_SEED");
	uint64_t first = given ? strtoull(given, NULL, 0) : 1;
	uint64_t n = given ? 1 : getenv("HEDDLE_TEST_FULL") ? 10 * PROGRAMS : PROGRAMS, wrong = 0;
	uint64_t told_apart = 0;

	loud = given != NULL;
	for (uint64_t seed = first; seed < first + n; seed++)
		wrong += !one(seed, &told_apart);
	for (size_t i = 0; !given && i < sizeof(rare) / sizeof(*rare); i++)
		wrong += !one(rare[i], &told_apart);
	printf("seeds %llu to %llu\n", (unsigned long long)first,
	       (unsigned long long)(first + n - 1));
	assert_int_equal(wrong, 0);
	assert_true(given || told_apart > n / 4); /* there were such pairs */
}

#define CHAIN 6000

static hd_dpst_id say(struct hd_steps *s, uint32_t thread, enum hd_op op, uint64_t addr,
		      uint64_t value)
{
	const struct hd_event ev = {
		.thread = thread, .op = (uint8_t)op, .addr = addr, .value = value
	};

	assert_true(hd_steps_event(s, &ev));
	return op == HD_OP_TASK_BEGIN || op == HD_OP_FUTURE_GET
		       ? hd_steps_now(s, hd_steps_task(s, thread))
		       : 0;
}

/*
 * Thousands of tasks that depend on each other in a row: the last one is after all of them, and beside a task that
 * depends on nobody. What is kept for each does not grow with their number.
 */
static void long_chains(void **state)
{
	struct hd_steps *s = calloc(1, sizeof(*s));
	hd_dpst_id beside, first = 0, last = 0;

	(void)state;
	assert_non_null(s);
	assert_true(hd_steps_init(s));
	say(s, 1, HD_OP_FINISH_BEGIN, 0, 1);
	say(s, 1, HD_OP_TASK_SPAWN, 0, 2);
	beside = say(s, 2, HD_OP_TASK_BEGIN, 0, 2);
	say(s, 2, HD_OP_TASK_END, 0, 2);
	for (uint32_t i = 3; i < 3 + CHAIN; i++) {
		say(s, 1, HD_OP_TASK_SPAWN, 0, i);
		last = say(s, i, HD_OP_TASK_BEGIN, 0, i);
		first = first ? first : last;
		if (i > 3)
			last = say(s, i, HD_OP_FUTURE_GET, 0x1000 + 8 * (i - 1), 0);
		say(s, i, HD_OP_FUTURE_PUT, 0x1000 + 8 * i, 0);
		say(s, i, HD_OP_TASK_END, 0, i);
	}
	assert_true(hd_steps_parallel(s, beside, last));
	assert_false(hd_steps_parallel(s, first, last));
	assert_false(s->knowns.bounded);
	for (uint32_t i = 1, n; i < s->knowns.sets.count; i++) {
		size_t len;

		hd_intern_get(&s->knowns.sets, i, &len);
		n = (uint32_t)(len / sizeof(struct hd_known_point));
		assert_true(n <= 2);
	}
	say(s, 1, HD_OP_FINISH_END, 0, 1);
	assert_false(hd_steps_parallel(s, last, hd_steps_now(s, hd_steps_task(s, 1))));
	hd_steps_free(s);
	free(s);
}

/*
 * Tasks that are over are records: who they were, and in which construct. One of them that somebody joins lives
 * again, and what comes behind the join is after it, but not after its neighbour.
 */
static void over_tasks_are_records(void **state)
{
	const struct hd_event in_task = {
		.thread = 2, .op = HD_OP_CONSTRUCT, .value = 0x77, .value2 = 5, .arg = HD_IN_TASK
	};
	struct hd_steps *s = calloc(1, sizeof(*s));
	hd_dpst_id step[CHAIN] = { 0 }, behind;
	uint32_t live = 0;

	(void)state;
	assert_non_null(s);
	assert_true(hd_steps_init(s));
	say(s, 1, HD_OP_TASK_BEGIN, 0, 1);
	for (uint32_t i = 2; i < CHAIN; i++) {
		say(s, 1, HD_OP_TASK_SPAWN, 0, i);
		say(s, i, HD_OP_TASK_BEGIN, 0, i);
		if (i == 2)
			assert_true(hd_steps_event(s, &in_task));
		step[i] = hd_steps_now(s, hd_steps_task(s, i));
		say(s, i, HD_OP_TASK_END, 0, i);
	}
	say(s, 1, HD_OP_TASK_SPAWN, 0, CHAIN);
	for (uint32_t i = 1; i < hd_task_table_end(&s->tasks); i++)
		live += hd_task_record(&s->tasks, i)->live != NULL;
	assert_int_equal(live, 2); /* the first, and the last one made */
	assert_int_equal(hd_task_record(&s->tasks, hd_steps_task_of(s, step[77]))->thread, 77);
	assert_int_equal(hd_steps_within(s, step[2]).place, 0x77);
	assert_int_equal(hd_steps_within(s, step[2]).number, 5);
	assert_int_equal(hd_steps_within(s, step[3]).kind, HD_IN_NONE);
	say(s, 1, HD_OP_JOIN, 0, 2);
	behind = hd_steps_now(s, hd_steps_task(s, 1));
	assert_false(hd_steps_parallel(s, step[2], behind));
	assert_true(hd_steps_parallel(s, step[3], behind));
	assert_int_equal(hd_steps_within(s, step[2]).number, 5);
	hd_steps_free(s);
	free(s);
}

/* ---- fixed programs ---------------------------------------------------------------------------------- */

enum { NOTHING, PUT_FOR_A_TASK, TAKE, TAKE_IN_REGION, REGION };

static hd_dpst_id now(struct hd_steps *s, uint32_t thread)
{
	return hd_steps_now(s, hd_steps_task(s, thread));
}

static void say_of_team(struct hd_steps *s, uint32_t thread, enum hd_op op, uint64_t number,
			uint16_t arg)
{
	const struct hd_event ev = {
		.thread = thread, .op = (uint8_t)op, .value = number, .arg = arg
	};

	assert_true(hd_steps_event(s, &ev));
}

/* What is in the taskgroup behind the loop, where it is closed with @what there. */
static void in_taskgroup(struct hd_steps *s, int what)
{
	switch (what) {
	case PUT_FOR_A_TASK: /* what the task learns of comes back to the thread at the inner finish */
		say(s, 2, HD_OP_FUTURE_PUT, 0x100, 0);
		say(s, 2, HD_OP_FINISH_BEGIN, 0, 4);
		say(s, 2, HD_OP_TASK_SPAWN, 0, 3);
		say(s, 3, HD_OP_FUTURE_GET, 0x100, 0);
		say(s, 3, HD_OP_TASK_END, 0, 3);
		say(s, 2, HD_OP_FINISH_END, 0, 4);
		break;
	case TAKE:
		say(s, 2, HD_OP_FUTURE_GET, 0x200, 0);
		break;
	case TAKE_IN_REGION:
	case REGION:
		say(s, 2, HD_OP_FINISH_BEGIN, 0, 5);
		say(s, 2, HD_OP_FINISH_BEGIN, 0, 6);
		if (what == TAKE_IN_REGION)
			say(s, 2, HD_OP_FUTURE_GET, 0x200, 0);
		say_of_team(s, 2, HD_OP_PHASER_SIGNAL, 0, HD_TEAM_BARRIER);
		say_of_team(s, 2, HD_OP_PHASER_WAIT, 0, HD_TEAM_BARRIER);
		say_of_team(s, 2, HD_OP_PHASER_SIGNAL, 1, HD_TEAM_BARRIER);
		say_of_team(s, 2, HD_OP_PHASER_WAIT, 1, HD_TEAM_LAST);
		say(s, 2, HD_OP_FINISH_END, 0, 5);
		break;
	default:
		break;
	}
}

/*
 * One of a team of two runs an iteration of a loop that is given out as threads come, is behind it by @end, and
 * goes through a taskgroup with @what in it. Then it may @take something. Is what comes then parallel to the iteration?
 */
static bool parallel_behind(uint16_t end, int what, bool take)
{
	struct hd_steps *s = calloc(1, sizeof(*s));
	hd_dpst_id before, inside;
	bool parallel;

	assert_non_null(s);
	assert_true(hd_steps_init(s));
	say(s, 1, HD_OP_FINISH_BEGIN, 0, 1);
	say(s, 1, HD_OP_FINISH_BEGIN, 0, 2);
	say(s, 1, HD_OP_TASK_SPAWN, 0, 2);
	say(s, 1, HD_OP_FUTURE_PUT, 0x200, 0);
	before = now(s, 1); /* of the other thread, beside all that T2 does */
	say_of_team(s, 2, HD_OP_ITERATION, 7, HD_UNIT_ANYBODYS);
	inside = now(s, 2);
	say_of_team(s, 2, HD_OP_ITERATION, 7, end);
	say(s, 2, HD_OP_FINISH_BEGIN, 0, 3);
	in_taskgroup(s, what);
	say(s, 2, HD_OP_FINISH_END, 0, 3);
	if (take)
		say(s, 2, HD_OP_FUTURE_GET, 0x200, 0);
	parallel = hd_steps_parallel(s, inside, now(s, 2));
	assert_true(hd_steps_parallel(s, before, now(s, 2)));
	hd_steps_free(s);
	free(s);
	return parallel;
}

/*
 * What a thread has run of a loop before it left it in an iteration, or waited for somebody, is before all that it does
 * then: also when taskgroups or regions of its own have ended since. Where it did neither, another thread may have
 * run the iteration.
 */
static void behind_taskgroups(void **state)
{
	(void)state;
	for (int what = NOTHING; what <= REGION; what++) {
		bool takes = what == TAKE || what == TAKE_IN_REGION;

		assert_int_equal(parallel_behind(HD_UNIT_OVER, what, false), !takes);
		assert_false(parallel_behind(HD_UNIT_LEFT, what, false));
		assert_false(parallel_behind(HD_UNIT_OVER, what, true));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(against_the_definition),
					    cmocka_unit_test(long_chains),
					    cmocka_unit_test(over_tasks_are_records),
					    cmocka_unit_test(behind_taskgroups) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
