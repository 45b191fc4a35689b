/*
 * Atomicity and races of tasks in all schedules: from one random run of a random program, against
 * all its interleavings.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/tasks/task_cells.h"
#include "analysis/tasks/task_check.h"
#include "analysis/tasks/task_front.h"
#include "task_programs.h"

#define SEED	   20261115
#define EVENTS_MAX 1000

struct told {
	uint32_t torn, raced, doubtful;
	uint32_t found;		   /* torn, and a finding: an update is lost */
	const struct truth *truth; /* NULL: not looked at */
	bool wrong;
};

static void take_found(void *arg, const struct hd_found *f)
{
	struct told *told = arg;
	unsigned var = (unsigned)((f->addr - VAR_AT(0)) / 8);
	unsigned pc[3] = { 0 };

	if (f->addr >= FLAG_AT(0))
		return; /* polled more than once: a pattern */
	if (f->doubtful) {
		told->doubtful |= 1u << var;
		return;
	}
	if (f->kind == HD_KIND_ATOMICITY) { /* of this very run */
		if (f->pattern && f->addr >= VAR_AT(0))
			told->torn |= 1u << var;
		return;
	}
	for (size_t i = 0; i < f->naccesses; i++) {
		pc[i] = (unsigned)f->accesses[i].event.pc - 1;
		assert_int_equal(f->accesses[i].event.addr, f->addr);
	}
	if (f->kind == HD_KIND_TASK_RACE) {
		told->raced |= 1u << var;
		if (told->truth && !(told->truth->races[pc[0]] >> pc[1] & 1))
			told->wrong = true;
	} else {
		told->torn |= 1u << var;
		if (f->kind == HD_KIND_TASK_ATOMICITY)
			told->found |= 1u << var;
		if (told->truth && !(told->truth->triples[pc[0]][pc[1]] >> pc[2] & 1))
			told->wrong = true;
	}
}

/* Two steps do not stand for all where something else than the tree orders. */
static bool orders(const struct hd_event *ev)
{
	return ev->op == HD_OP_FUTURE_PUT || ev->addr >= FLAG_AT(0);
}

static struct told analyse(const struct hd_event *events, size_t n, enum hd_task_algorithm how,
			   const struct truth *truth)
{
	struct hd_task_options o = { .algorithm = how, .locations = true };
	struct hd_task_check *c;
	struct told told = { .truth = truth };

	for (size_t i = 0; i < n; i++)
		o.other_order |= orders(&events[i]);
	c = hd_task_check_new(&o);
	assert_non_null(c);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(hd_task_check_event(c, &events[i], i), HD_OK);
	assert_int_equal(hd_task_check_finish(c, take_found, &told), HD_OK);
	hd_task_check_free(c);
	return told;
}

/* The same behind a front of thin locations. */
static struct told analyse_behind(const struct hd_event *events, size_t n,
				  const struct truth *truth, bool one_lane)
{
	struct hd_task_options o = { .locations = true };
	static struct hd_thin_lane lane;
	struct hd_task_front f;
	struct hd_task_check *c;
	struct told told = { .truth = truth };

	for (size_t i = 0; i < n; i++)
		o.other_order |= orders(&events[i]);
	c = hd_task_check_new(&o);
	assert_non_null(c);
	assert_true(hd_task_front_init(&f, c, &o));
	memset(&lane, 0, sizeof(lane));
	if (one_lane)
		hd_task_front_one_lane(&f, &lane);
	for (size_t i = 0; i < n; i++) {
		const struct hd_event *ev = &events[i];
		bool write = ev->op == HD_OP_WRITE;
		struct hd_thin_place place =
			hd_thin_place(ev->pc, ev->ctx, ev->addr, ev->size, write);
		hd_dpst_id step = 0;

		if (ev->op == HD_OP_READ || write)
			step = hd_task_front_step(&f, ev->thread);
		if (step && one_lane)
			hd_task_front_at(&f, ev->addr);
		if (step && (hd_thin_seen(&f.thin, step, ev->addr, ev->size, write) ||
			     hd_thin_access(&f.thin, &lane, step, ev->addr, &place)))
			continue;
		assert_int_equal(hd_task_front_event(&f, ev, HD_NO_INDEX), HD_OK);
	}
	assert_int_equal(hd_task_check_finish(c, take_found, &told), HD_OK);
	hd_task_check_free(c);
	hd_task_front_free(&f);
	return told;
}

struct tally {
	unsigned long programs, stuck, large, torn, raced;
	unsigned long paper_missed, paper_false, velodrome_missed;
};

static void print_events(const struct hd_event *events, size_t n)
{
	for (size_t i = 0; i < n; i++)
		print_message("T%u %s %lx %lu pc %lu\n", events[i].thread,
			      hd_op_info[events[i].op].name, (unsigned long)events[i].addr,
			      (unsigned long)events[i].value, (unsigned long)events[i].pc);
}

/* The same from behind a front, with one lane or as several threads use it. */
static void compare_behind(const struct task_program *p, const struct hd_event *events, size_t n,
			   const struct truth *truth, uint32_t found, bool one_lane)
{
	struct told told = analyse_behind(events, n, truth, one_lane);
	/* Several lanes know no moments: what a step does after setting a flag counts as before. */
	uint32_t may_miss = one_lane ? 0 : told.doubtful;
	/*
	 * A front leaves out repeated reads. If one was the last access before a flag was set, a write after that
	 * is not known to make an update of it: the location is torn and raced as before, but the tearing counts
	 * as a pattern. Only flags that order something else at the location can show that.
	 */
	uint32_t may_weigh_less = told.doubtful;

	if ((told.torn | may_miss) != (truth->torn | may_miss) || (told.torn & ~truth->torn) ||
	    (told.raced | may_miss) != (truth->raced | may_miss) || (told.raced & ~truth->raced) ||
	    (told.found | may_weigh_less) != (found | may_weigh_less) || told.wrong) {
		print_program(p);
		print_events(events, n);
		fail_msg("front: torn %x, not %x; raced %x, not %x; found %x, not %x; wrong %d",
			 told.torn, truth->torn, told.raced, truth->raced, told.found, found,
			 told.wrong);
	}
}

static void compare_one(struct hd_rng *r, const struct task_shape *shape, struct tally *tally,
			bool baselines, bool behind)
{
	static struct hd_event events[EVENTS_MAX];
	static struct truth truth;
	struct task_program p;
	size_t n = 0;

	random_program(&p, r, shape);
	for (int runs = 0; runs < 2; runs++) {
		struct told told;

		for (int tries = 0; tries < 10 && !n; tries++)
			n = random_schedule(&p, r, events, EVENTS_MAX);
		if (!n) {
			tally->stuck++;
			return;
		}
		if (!runs && !find_truth(&p, &truth)) {
			tally->large++;
			return;
		}
		told = analyse(events, n, HD_TASKS_COMPLETE, &truth);
		if (told.torn != truth.torn || told.raced != truth.raced || told.wrong) {
			print_program(&p);
			print_message("torn %x, not %x; raced %x, not %x; wrong %d\n", told.torn,
				      truth.torn, told.raced, truth.raced, told.wrong);
			print_events(events, n);
			fail();
		}
		for (int one_lane = 0; behind && one_lane < 2; one_lane++)
			compare_behind(&p, events, n, &truth, told.found, one_lane);
		if (baselines) {
			told = analyse(events, n, HD_TASKS_PAPER, NULL);
			tally->paper_missed += (truth.torn & ~told.torn) != 0;
			tally->paper_false += (told.torn & ~truth.torn) != 0;
			told = analyse(events, n, HD_TASKS_VELODROME, NULL);
			tally->velodrome_missed += (truth.torn & ~told.torn) != 0;
		}
		n = 0;
	}
	tally->programs++;
	tally->torn += truth.torn != 0;
	tally->raced += truth.raced != 0;
}

static void compare(const char *name, const struct task_shape *shape, unsigned long programs)
{
	const char *seed = getenv("HEDDLE_TEST_SEED");
	struct tally tally = { 0 };
	bool full = getenv("HEDDLE_TEST_FULL"); /* by make check-full */
	struct hd_rng r;

	hd_rng_seed(&r, seed ? strtoull(seed, NULL, 0) : SEED);
	programs = full ? programs : programs / 5;
#ifdef __SANITIZE_ADDRESS__
	programs /= 10;
#endif
	for (unsigned long i = 0; i < programs; i++)
		compare_one(&r, shape, &tally, i % 16 == 0, full || i % 8 == 0);
	print_message("%s, HEDDLE_TEST_SEED=%s: %lu programs (%lu torn, %lu raced; %lu came to a "
		      "standstill, %lu too large)\n",
		      name, seed ? seed : "20261115", tally.programs, tally.torn, tally.raced,
		      tally.stuck, tally.large);
	print_message("  of %lu runs: paper missed %lu, false %lu; velodrome missed %lu\n",
		      tally.programs / 8, tally.paper_missed, tally.paper_false,
		      tally.velodrome_missed);
	assert_true(tally.programs > programs / 3);
	assert_true(tally.torn > programs / 50 && tally.torn < tally.programs);
}

static void test_no_locks(void **state)
{
	const struct task_shape shape = { .tasks = 6, .vars = 2, .accesses = 3 };

	compare("no locks", &shape, 60000);
}

static void test_futures(void **state)
{
	const struct task_shape shape = { .tasks = 6, .vars = 2, .accesses = 3, .futures = 3 };

	compare("futures", &shape, 15000);
}

static void test_flat(void **state)
{
	const struct task_shape shape = {
		.tasks = 4, .vars = 2, .accesses = 4, .locks = 2, .shape = LOCKS_FLAT
	};

	compare("flat locks", &shape, 15000);
}

static void test_nested(void **state)
{
	const struct task_shape shape = {
		.tasks = 4, .vars = 2, .accesses = 4, .locks = 3, .shape = LOCKS_NESTED
	};

	compare("nested locks", &shape, 21000);
}

static void test_any(void **state)
{
	const struct task_shape shape = {
		.tasks = 4, .vars = 2, .accesses = 4, .locks = 3, .shape = LOCKS_ANY
	};

	compare("locks in any order", &shape, 21000);
}

static void test_locks_and_futures(void **state)
{
	const struct task_shape shape = {
		.tasks = 4, .vars = 2, .accesses = 3, .locks = 3, .futures = 2, .shape = LOCKS_ANY
	};

	compare("locks and futures", &shape, 10000);
}

/* What flags under locks order is doubtful; what counters under the same locks do not, is not. */
static void test_flags(void **state)
{
	const struct task_shape shapes[] = {
		{ .tasks = 6, .vars = 2, .accesses = 3, .flags = 3 },
		{ .tasks = 5, .vars = 2, .accesses = 3, .flags = 2, .adds = true },
		{ .tasks = 4, .vars = 2, .accesses = 3, .flags = 2, .futures = 2, .adds = true },
	};

	compare("flags", &shapes[0], 20000);
	compare("flags and counters", &shapes[1], 20000);
	compare("flags, counters and futures", &shapes[2], 10000);
}

/* --- groups --- */

struct cycles {
	const struct task_program *p;
	bool any, wrong;
};

static void take_cycle(void *arg, const struct hd_found *f)
{
	struct cycles *c = arg;
	int accesses[4];

	if (f->group < 0)
		return;
	assert_int_equal(f->kind, HD_KIND_TASK_ATOMICITY);
	assert_int_equal(f->group, 7);
	assert_in_range(f->naccesses, 3, 4);
	for (size_t i = 0; i < f->naccesses; i++)
		accesses[i] = (int)f->accesses[i].event.pc - 1;
	c->any = true;
	c->wrong |= !order_is_possible(c->p, accesses, (int)f->naccesses);
}

static struct cycles cycles_of(const struct task_program *p, const struct hd_event *events,
			       size_t n)
{
	const struct hd_task_options o = { .no_races = true, .other_order = true };
	struct hd_task_check *c = hd_task_check_new(&o);
	struct cycles cycles = { .p = p };

	assert_non_null(c);
	for (int v = 0; v < p->nvars; v++)
		assert_int_equal(hd_task_check_add_group(c, VAR_AT((unsigned)v), 8, 7), HD_OK);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(hd_task_check_event(c, &events[i], i), HD_OK);
	assert_int_equal(hd_task_check_finish(c, take_cycle, &cycles), HD_OK);
	hd_task_check_free(c);
	return cycles;
}

static void check_cycles(const struct task_program *p, struct hd_rng *r, bool truth)
{
	static struct hd_event events[EVENTS_MAX];
	struct cycles cycles;
	size_t n = 0;

	for (int tries = 0; tries < 10 && !n; tries++)
		n = random_schedule(p, r, events, EVENTS_MAX);
	if (!n)
		return;
	cycles = cycles_of(p, events, n);
	if (cycles.any != truth || cycles.wrong) {
		print_program(p);
		fail_msg("a cycle %d, not %d; wrong %d", cycles.any, truth, cycles.wrong);
	}
}

static void test_groups(void **state)
{
	static const struct {
		const char *program;
		bool cycle;
	} named[] = {
		{ "s1 s2 | Wx Wy | Rx Ry", true },
		{ "s1 s2 | Wx Wy | Ry Rx", true },
		{ "s1 s2 | Wy | Rx Wx",
		  false }, /* falsely reported where a group is one location */
		{ "s1 s2 | Wx Wy | Rx", false },
		{ "s1 s2 | Rx Ry | Rx Ry", false },
		{ "[ s1 ] s2 | Wx Wy | Rx Ry", false },
		{ "s1 s2 | +a Wx Wy -a | +a Rx Ry -a", false },
		{ "s1 s2 | +a Wx -a +a Wy -a | +a Rx Ry -a", true },
		{ "s1 s2 | +a Wx +b -a Wy -b | +a Rx +b -a Ry -b",
		  false }, /* one follows the other */
	};
	const struct task_shape shapes[] = {
		{ .tasks = 4, .vars = 2, .accesses = 3 },
		{ .tasks = 3, .vars = 2, .accesses = 4, .locks = 2, .shape = LOCKS_NESTED },
		{ .tasks = 3, .vars = 3, .accesses = 4, .locks = 2, .shape = LOCKS_ANY },
		{ .tasks = 4,
		  .vars = 2,
		  .accesses = 3,
		  .locks = 1,
		  .futures = 2,
		  .shape = LOCKS_FLAT },
	};
	unsigned long with = 0, rounds = getenv("HEDDLE_TEST_FULL") ? 8000 : 300;
	struct task_program p;
	struct hd_rng r;

	hd_rng_seed(&r, SEED);
	for (size_t i = 0; i < sizeof(named) / sizeof(named[0]); i++) {
		bool truth;

		parse_program(&p, named[i].program);
		assert_true(find_cycle_truth(&p, &truth));
		assert_int_equal(truth, named[i].cycle);
		for (int k = 0; k < 10; k++)
			check_cycles(&p, &r, named[i].cycle);
	}
	for (unsigned long i = 0; i < 4 * rounds; i++) {
		bool truth;

		random_program(&p, &r, &shapes[i % 4]);
		if (!find_cycle_truth(&p, &truth))
			continue;
		with += truth;
		check_cycles(&p, &r, truth);
	}
	print_message("%lu of %lu programs with cycles\n", with, 4 * rounds);
	assert_in_range(with, rounds / 10, 4 * rounds - rounds / 10);
}

/* --- by name --- */

struct named {
	const char *program;
	bool torn, raced, paper;
};

/*
 * Everything is about x. What holds is reasoned here and checked against all interleavings; `paper`
 * is what the published rule says.
 */
static const struct named programs[] = {
	/* The five unserializable patterns, and those that are not. */
	{ "s1 s2 | Rx Rx | Wx", true, true, true },
	{ "s1 s2 | Rx Wx | Wx", true, true, true },
	{ "s1 s2 | Wx Rx | Wx", true, true, true },
	{ "s1 s2 | Wx Wx | Wx", true, true, true },
	{ "s1 s2 | Wx Wx | Rx", true, true, true },
	{ "s1 s2 | Rx Rx | Rx", false, false, false },
	{ "s1 s2 | Rx Wx | Rx", false, true, false },
	{ "s1 s2 | Wx Rx | Rx", false, true, false },
	{ "s1 s2 | Wx | Wx", false, true, false },
	/* The accesses are of two steps: nothing is torn. */
	{ "s1 s2 | Rx s3 Wx | Wx |", false, true, false },
	/* Series by a finish; by a future. */
	{ "[ s1 ] s2 | Rx Wx | Wx", false, false, false },
	{ "s1 s2 | Rx Wx !0 | ?0 Wx", false, false, false },
	{ "s1 s2 | Rx !0 Wx | ?0 Wx", false, true, false },
	/* One critical section, two, the other without. */
	{ "s1 s2 | +a Rx Wx -a | +a Wx -a", false, false, false },
	{ "s1 s2 | +a Rx -a +a Wx -a | +a Wx -a", true, false, true },
	{ "s1 s2 | +a Rx Wx -a | Wx", true, true, false },
	/* Free of races; a lock around both that the other one does not take. */
	{ "s1 s2 | +a +b Rx -b +b Rx -b -a | +b Wx -b", true, false, false },
	{ "s1 s2 | +a +b Rx -b +b Wx -b -a | +b Wx -b", true, false, false },
	{ "s1 s2 | +a +b Wx -b +b Rx -b -a | +b Wx -b", true, false, false },
	{ "s1 s2 | +a +b Wx -b +b Wx -b -a | +b Wx -b", true, false, false },
	{ "s1 s2 | +a +b Wx -b +b Wx -b -a | +b Rx -b", true, false, false },
	/* ... and the same with it taken. */
	{ "s1 s2 | +a +b Rx -b +b Rx -b -a | +a +b Wx -b -a", false, false, false },
	{ "s1 s2 | +a +b Wx -b +b Wx -b -a | +a +b Rx -b -a", false, false, false },
	/*
	 * From lock to lock, never without: the other waits at the first (the published rule, to which
	 * the two accesses have no lock in common, reports it), or is not kept out.
	 */
	{ "s1 s2 | +a Rx +b -a Rx -b | +a +b Wx -b -a", false, false, true },
	{ "s1 s2 | +a Rx +b -a +c -b Rx -c | +b Wx -b", true, true, true },
	/* Opposite orders: one cannot be there while the other is; or could not go on. */
	{ "s1 s2 | +a +b -b Rx Rx -a | +b +a -a Wx -b", false, false, false },
	{ "s1 s2 | +a Rx +b Rx -b -a | +b Wx +a -a -b", false, true, false },
	{ "s1 s2 | +a Rx +b -b Rx -a | +b Wx +a -a -b", true, true, false },
	/* The first two writers are in series with the reader, a third is not. */
	{ "[ s1 s2 ] s3 s4 | Wx | Wx | Wx | Rx Rx", true, true, true },
};

static void test_by_name(void **state)
{
	static struct hd_event events[EVENTS_MAX];
	static struct truth truth;
	struct hd_rng r;

	hd_rng_seed(&r, SEED);
	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
		const struct named *want = &programs[i];
		struct task_program p;

		parse_program(&p, want->program);
		assert_true(find_truth(&p, &truth));
		if (truth.torn != want->torn || truth.raced != want->raced)
			fail_msg("%s: in truth torn %x, raced %x", want->program, truth.torn,
				 truth.raced);
		for (int run = 0; run < 20; run++) {
			size_t n = 0;
			struct told told;

			while (!n) /* some orders of locks come to a standstill */
				n = random_schedule(&p, &r, events, EVENTS_MAX);
			told = analyse(events, n, HD_TASKS_COMPLETE, &truth);
			if (told.torn != truth.torn || told.raced != truth.raced || told.wrong)
				fail_msg("%s: torn %x, raced %x, wrong %d", want->program,
					 told.torn, told.raced, told.wrong);
			told = analyse(events, n, HD_TASKS_PAPER, NULL);
			if (told.torn != want->paper)
				fail_msg("%s: paper says torn %x", want->program, told.torn);
		}
	}
}

/* --- two steps stand for all --- */

static void test_two_stand_for_all(void **state)
{
	const struct task_shape shape = { .tasks = TASKS_MAX, .vars = 1, .accesses = 1 };
	static struct hd_event events[EVENTS_MAX];
	struct hd_rng r;

	hd_rng_seed(&r, SEED);
	for (int round = 0; round < 20000; round++) {
		hd_dpst_id all[EVENTS_MAX];
		struct hd_task_cells cells;
		struct hd_did_set *set = NULL;
		struct hd_task_cell cell = { .mask = 0xff };
		struct task_program p;
		struct hd_steps steps;
		size_t n, nall = 0;

		random_program(&p, &r, &shape);
		n = random_schedule(&p, &r, events, EVENTS_MAX);
		assert_true(hd_steps_init(&steps) && hd_task_cells_init(&cells, &steps));
		for (size_t i = 0; i < n; i++) {
			struct hd_task *t = hd_steps_task(&steps, events[i].thread);
			struct hd_did_step who = { 0 };
			bool any = false, two = false;

			assert_true(hd_steps_event(&steps, &events[i]));
			if (events[i].op != HD_OP_READ && events[i].op != HD_OP_WRITE)
				continue;
			who.step = hd_steps_now(&steps, t);
			for (size_t k = 0; k < nall; k++)
				any |= hd_dpst_parallel(&steps.tree, all[k], who.step);
			for (int k = 0; set && k < 2; k++)
				two |= set->steps[k].step &&
				       hd_dpst_parallel(&steps.tree, set->steps[k].step, who.step);
			assert_int_equal(any, two);
			/* Only some are put in, so that others come without. */
			if (events[i].op == HD_OP_WRITE) {
				all[nall++] = who.step;
				hd_task_cells_add(&cells, &cell, HD_DID_WRITE, 0, &who);
				set = hd_task_cells_set(&cells, &cell, HD_DID_WRITE, 0);
			}
		}
		hd_task_cells_free(&cells);
		hd_steps_free(&steps);
	}
}

/* --- what else orders tasks --- */

struct script {
	struct hd_event events[64];
	size_t n;
};

static void say(struct script *s, uint32_t thread, enum hd_op op, uint64_t addr, uint64_t value)
{
	bool access = op == HD_OP_READ || op == HD_OP_WRITE;

	s->events[s->n] = (struct hd_event){
		.thread = thread,
		.op = (uint8_t)op,
		.addr = addr,
		.value = value,
		.size = access || op == HD_OP_ATOMIC_RMW ? 8 : 0,
		.pc = s->n + 1,
		.arg = op == HD_OP_ATOMIC_RMW ? __ATOMIC_SEQ_CST : 0,
	};
	s->n++;
}

static void two_tasks(struct script *s)
{
	s->n = 0;
	say(s, 1, HD_OP_TASK_SPAWN, 0, 2);
	say(s, 1, HD_OP_TASK_SPAWN, 0, 3);
}

static void expect(struct script *s, bool torn, bool raced)
{
	struct told told = analyse(s->events, s->n, HD_TASKS_COMPLETE, NULL);

	assert_int_equal(told.torn, torn);
	assert_int_equal(told.raced, raced);
}

static void test_other_order(void **state)
{
	const uint64_t x = VAR_AT(0), o = 0x8000;
	struct script s;

	/* A phaser: phase 0 of one before phase 1 of the other, not the same phase. */
	for (int same = 0; same < 2; same++) {
		two_tasks(&s);
		say(&s, 2, HD_OP_WRITE, x, 0);
		say(&s, 2, HD_OP_PHASER_SIGNAL, o, 0);
		if (same)
			say(&s, 3, HD_OP_READ, x, 0);
		say(&s, 3, HD_OP_PHASER_SIGNAL, o, 0);
		say(&s, 2, HD_OP_PHASER_WAIT, o, 0);
		say(&s, 3, HD_OP_PHASER_WAIT, o, 0);
		say(&s, 3, HD_OP_READ, x, 0);
		expect(&s, false, same);
	}
	/* One that signals ahead: phase 1 of it is not over when the other has waited for 0. */
	two_tasks(&s);
	say(&s, 2, HD_OP_PHASER_SIGNAL, o, 0);
	say(&s, 2, HD_OP_WRITE, x, 0);
	say(&s, 2, HD_OP_PHASER_SIGNAL, o, 1);
	say(&s, 3, HD_OP_PHASER_WAIT, o, 0);
	say(&s, 3, HD_OP_READ, x, 0);
	expect(&s, false, true);
	/* A finish that does not wait, and a future put when its tasks have ended. */
	for (int waits = 0; waits < 2; waits++) {
		s.n = 0;
		say(&s, 1, HD_OP_FINISH_BEGIN, 0, 9);
		say(&s, 1, HD_OP_TASK_SPAWN, 0, 2);
		say(&s, 1, HD_OP_FINISH_END, 0, 9);
		s.events[s.n - 1].arg = 1;
		say(&s, 1, HD_OP_TASK_SPAWN, 0, 3);
		say(&s, 2, HD_OP_WRITE, x, 0);
		say(&s, 2, HD_OP_TASK_END, 0, 2);
		say(&s, 3, HD_OP_JOIN, 0, 2);
		say(&s, 3, HD_OP_FUTURE_PUT, o, 0);
		if (waits)
			say(&s, 1, HD_OP_FUTURE_GET, o, 0);
		say(&s, 1, HD_OP_READ, x, 0);
		expect(&s, false, !waits);
	}
	/* The last one to arrive at a counter reads what the others wrote. */
	two_tasks(&s);
	say(&s, 2, HD_OP_WRITE, x, 0);
	say(&s, 2, HD_OP_ATOMIC_RMW, o, 0);
	say(&s, 3, HD_OP_ATOMIC_RMW, o, 1);
	say(&s, 3, HD_OP_READ, x, 0);
	expect(&s, false, false);
	/* Memory that was freed and given out again. */
	two_tasks(&s);
	say(&s, 2, HD_OP_WRITE, x, 0);
	say(&s, 2, HD_OP_FREE, x, 8);
	say(&s, 3, HD_OP_WRITE, x, 0);
	expect(&s, false, false);
}

/* A read-modify-write torn is an update lost; a loop of whole ones is a pattern; a block counts. */
static void note_kind(void *arg, const struct hd_found *f)
{
	if (f->kind != HD_KIND_TASK_RACE)
		*(unsigned *)arg |= f->kind == HD_KIND_PATTERN ? 1 : 2;
}

static unsigned kinds_of(const struct script *s, bool steps_atomic)
{
	const struct hd_task_options o = { .steps_atomic = steps_atomic };
	struct hd_task_check *c = hd_task_check_new(&o);
	unsigned kinds = 0;

	assert_non_null(c);
	for (size_t i = 0; i < s->n; i++)
		assert_int_equal(hd_task_check_event(c, &s->events[i], i), HD_OK);
	assert_int_equal(hd_task_check_finish(c, note_kind, &kinds), HD_OK);
	hd_task_check_free(c);
	return kinds;
}

static void locked(struct script *s, uint32_t thread, const char *accesses)
{
	say(s, thread, HD_OP_ACQUIRE, 0x100, 0);
	for (; *accesses; accesses++)
		say(s, thread, *accesses == 'R' ? HD_OP_READ : HD_OP_WRITE, VAR_AT(0), 0);
	say(s, thread, HD_OP_RELEASE, 0x100, 0);
}

static void test_weights(void **state)
{
	struct script s;

	two_tasks(&s);
	locked(&s, 2, "RW");
	locked(&s, 2, "RW");
	locked(&s, 3, "RW");
	assert_int_equal(kinds_of(&s, false), 1);
	assert_int_equal(kinds_of(&s, true), 2);
	two_tasks(&s);
	locked(&s, 2, "R");
	locked(&s, 2, "W");
	locked(&s, 3, "RW");
	assert_int_equal(kinds_of(&s, false), 2);
	two_tasks(&s);
	say(&s, 2, HD_OP_BEGIN, 0, 0);
	locked(&s, 2, "R");
	locked(&s, 2, "R");
	say(&s, 2, HD_OP_END, 0, 0);
	locked(&s, 3, "W");
	assert_int_equal(kinds_of(&s, false), 2);
	two_tasks(&s);
	locked(&s, 2, "R");
	say(&s, 2, HD_OP_BEGIN, 0, 0);
	locked(&s, 2, "R");
	say(&s, 2, HD_OP_END, 0, 0);
	locked(&s, 3, "W");
	assert_int_equal(kinds_of(&s, false), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_groups),
		cmocka_unit_test(test_by_name),
		cmocka_unit_test(test_two_stand_for_all),
		cmocka_unit_test(test_other_order),
		cmocka_unit_test(test_weights),
		cmocka_unit_test(test_no_locks),
		cmocka_unit_test(test_futures),
		cmocka_unit_test(test_flat),
		cmocka_unit_test(test_nested),
		cmocka_unit_test(test_any),
		cmocka_unit_test(test_locks_and_futures),
		cmocka_unit_test(test_flags),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
