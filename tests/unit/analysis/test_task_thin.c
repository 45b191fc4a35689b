/*
 * Long runs of many tasks that crowd few locations: behind a front of thin locations the analysis
 * of tasks finds what it finds without. That what it finds is true is test_task_check.c's matter.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/tasks/task_front.h"
#include "common/rng.h"

#define SEED	   20261116
#define TASKS	   60
#define SCOPES	   200
#define EVENTS_MAX 1000
#define VARS	   20 /* in three lines */
#define VAR_AT(x)  (0x1000ull + 8ull * (x))
#define LANES	   3

struct run {
	struct hd_rng rng;
	struct hd_event events[EVENTS_MAX];
	size_t n;
	unsigned writes; /* of 1,000 accesses */
	unsigned places, length;
	bool parts; /* not of whole variables only */
	bool lines; /* and of many at once */
	unsigned vars;
	int ntasks, nscopes;
	struct {
		bool over;
		int scope;	    /* around its creation; -1: none */
		int open[8], nopen; /* scopes */
	} tasks[TASKS];
	int live[SCOPES]; /* tasks in a scope that have not ended */
};

static unsigned below(struct run *r, unsigned n)
{
	return (unsigned)(hd_rng_next(&r->rng) % n);
}

static void say(struct run *r, int task, enum hd_op op, uint64_t addr, uint64_t value,
		uint32_t size)
{
	r->events[r->n] = (struct hd_event){ .thread = (uint32_t)task + 1,
					     .op = (uint8_t)op,
					     .addr = addr,
					     .value = value,
					     .size = size,
					     .pc = 1 + below(r, r->places) };
	r->n++;
}

static void do_access(struct run *r, int task)
{
	static const uint32_t sizes[] = { 8, 4, 2, 1 };
	uint32_t size = r->parts && !below(r, 8) ? sizes[below(r, 4)] : 8;
	uint64_t addr = VAR_AT(below(r, r->vars)) + below(r, 8 / size) * size;
	uint64_t len = size;

	if (r->lines && below(r, 3)) {
		addr = VAR_AT(8 * below(r, 2));
		size = r->parts && below(r, 2) ? 4 : 8;
		len = HD_THIN_LINE;
	}
	say(r, task, below(r, 1000) < r->writes ? HD_OP_WRITE : HD_OP_READ, addr, len, size);
}

/* Lines are given back, with some bytes around them or without one. */
static void do_free(struct run *r, int task)
{
	if (r->lines)
		say(r, task, HD_OP_FREE, VAR_AT(below(r, 9)), 8 * (1 + below(r, 12)), 0);
}

static void do_spawn(struct run *r, int task)
{
	int child = r->ntasks;

	if (child == TASKS)
		return;
	r->ntasks++;
	memset(&r->tasks[child], 0, sizeof(r->tasks[child]));
	r->tasks[child].scope = r->tasks[task].nopen ? r->tasks[task].open[r->tasks[task].nopen - 1]
						     : r->tasks[task].scope;
	if (r->tasks[child].scope >= 0)
		r->live[r->tasks[child].scope]++;
	say(r, task, HD_OP_FORK, 0, (uint64_t)child + 1, 0);
	say(r, task, HD_OP_TASK_SPAWN, 0, (uint64_t)child + 1, 0);
	say(r, child, HD_OP_TASK_BEGIN, 0, (uint64_t)child + 1, 0);
}

static void do_finish(struct run *r, int task)
{
	if (r->tasks[task].nopen == 8 || r->nscopes == SCOPES)
		return;
	r->live[r->nscopes] = 0;
	r->tasks[task].open[r->tasks[task].nopen++] = r->nscopes;
	say(r, task, HD_OP_FINISH_BEGIN, 0, (uint64_t)r->nscopes++, 0);
}

static void do_end_finish(struct run *r, int task)
{
	int scope = r->tasks[task].nopen ? r->tasks[task].open[r->tasks[task].nopen - 1] : -1;

	if (scope < 0 || r->live[scope])
		return;
	r->tasks[task].nopen--;
	for (int i = 0; i < r->ntasks; i++) {
		if (r->tasks[i].scope == scope)
			say(r, task, HD_OP_JOIN, 0, (uint64_t)i + 1, 0);
	}
	say(r, task, HD_OP_FINISH_END, 0, (uint64_t)scope, 0);
}

static void do_end(struct run *r, int task)
{
	if (!task || r->tasks[task].nopen)
		return;
	r->tasks[task].over = true;
	if (r->tasks[task].scope >= 0)
		r->live[r->tasks[task].scope]--;
	say(r, task, HD_OP_TASK_END, 0, (uint64_t)task + 1, 0);
}

static void make_run(struct run *r)
{
	unsigned ends = 1 + below(r, 6);

	r->n = 0;
	r->ntasks = 1;
	r->nscopes = 0;
	memset(&r->tasks[0], 0, sizeof(r->tasks[0]));
	r->tasks[0].scope = -1;
	r->writes = below(r, 2) ? 10 : 1 + below(r, 300);
	r->places = 1 + below(r, 20);
	r->length = 20u << below(r, 6);
	r->parts = below(r, 3) == 0;
	r->lines = below(r, 2);
	r->vars = r->lines ? VARS : 4;
	while (r->n < r->length) {
		int task = (int)below(r, (unsigned)r->ntasks);
		unsigned dice = below(r, 100);

		if (r->tasks[task].over)
			continue;
		if (dice < 78)
			do_access(r, task);
		else if (dice < 80)
			do_free(r, task);
		else if (dice < 88)
			do_spawn(r, task);
		else if (dice < 90)
			do_finish(r, task);
		else if (dice < 90 + ends)
			do_end(r, task);
		else
			do_end_finish(r, task);
	}
}

struct told {
	uint32_t raced, torn, found; /* variables, as bits */
};

static void take_found(void *arg, const struct hd_found *f)
{
	struct told *told = arg;
	uint32_t bit = 1u << (f->addr - VAR_AT(0)) / 8;

	told->raced |= f->kind == HD_KIND_TASK_RACE ? bit : 0;
	told->torn |= f->kind == HD_KIND_TASK_RACE ? 0 : bit;
	told->found |= f->kind == HD_KIND_TASK_ATOMICITY ? bit : 0;
}

static struct hd_thin_lane lanes[LANES];
static uint64_t crowded;

static uint64_t whole;

/* All of an access to a line at once. */
static bool thin_line(struct hd_task_front *f, const struct hd_event *ev)
{
	bool done;

	if (ev->op != HD_OP_WRITE && ev->op != HD_OP_READ)
		return false;
	done = ev->value == HD_THIN_LINE &&
	       hd_thin_access_line(&f->thin, &lanes[ev->thread % LANES],
				   hd_task_front_step(f, ev->thread), ev->addr, ev->size,
				   ev->op == HD_OP_WRITE, ev->pc, ev->ctx);
	whole += done;
	return done;
}

static bool thin(struct hd_task_front *f, const struct hd_event *ev)
{
	bool write = ev->op == HD_OP_WRITE;
	struct hd_thin_place place = hd_thin_place(ev->pc, ev->ctx, ev->addr, ev->size, write);
	hd_dpst_id step;

	if (!write && ev->op != HD_OP_READ)
		return false;
	step = hd_task_front_step(f, ev->thread);
	return hd_thin_seen(&f->thin, step, ev->addr, ev->size, write) ||
	       hd_thin_access(&f->thin, &lanes[ev->thread % LANES], step, ev->addr, &place);
}

/* An event, or one of the accesses to a line. */
static void take(struct hd_task_check *c, struct hd_task_front *f, const struct hd_event *ev)
{
	if (f && thin(f, ev))
		return;
	assert_int_equal(f ? hd_task_front_event(f, ev, HD_NO_INDEX)
			   : hd_task_check_event(c, ev, HD_NO_INDEX),
			 HD_OK);
}

static void take_all(struct hd_task_check *c, struct hd_task_front *f, const struct hd_event *ev)
{
	struct hd_event one = *ev;

	if (!ev->size) {
		take(c, f, ev);
		return;
	}
	one.value = 0;
	for (uint64_t done = 0; done < ev->value; done += ev->size) {
		take(c, f, &one);
		one.addr += ev->size;
	}
}

static struct told analyse(const struct run *r, bool behind)
{
	const struct hd_task_options o = { .locations = true };
	struct hd_task_check *c = hd_task_check_new(&o);
	struct hd_task_front f;
	struct told told = { 0 };

	assert_non_null(c);
	if (behind)
		assert_true(hd_task_front_init(&f, c, &o));
	memset(lanes, 0, sizeof(lanes));
	for (size_t i = 0; i < r->n; i++) {
		const struct hd_event *ev = &r->events[i];

		if (!behind || !thin_line(&f, ev))
			take_all(c, behind ? &f : NULL, ev);
	}
	assert_int_equal(hd_task_check_finish(c, take_found, &told), HD_OK);
	crowded += behind && f.thin.nmores > 1;
	hd_task_check_free(c);
	if (behind)
		hd_task_front_free(&f);
	return told;
}

static void print_run(const struct run *r)
{
	for (size_t i = 0; i < r->n; i++)
		print_message("T%u %s %lx+%u of %lu pc %lu\n", r->events[i].thread,
			      hd_op_info[r->events[i].op].name, (unsigned long)r->events[i].addr,
			      r->events[i].size, (unsigned long)r->events[i].value,
			      (unsigned long)r->events[i].pc);
}

static void test_crowds(void **state)
{
	const char *seed = getenv("HEDDLE_TEST_SEED");
#ifdef __SANITIZE_ADDRESS__ /* slow, and looks for other things */
	const int rounds = 1000;
#else
	const int rounds = getenv("HEDDLE_TEST_FULL") ? 100000 : 3000;
#endif
	int raced = 0, clean = 0;
	static struct run r;

	hd_rng_seed(&r.rng, seed ? strtoull(seed, NULL, 0) : SEED);
	for (int i = 0; i < rounds; i++) {
		struct told want, told;

		make_run(&r);
		want = analyse(&r, false);
		told = analyse(&r, true);
		raced += want.raced != 0;
		clean += want.raced != (1u << r.vars) - 1;
		if (memcmp(&want, &told, sizeof(told))) {
			print_run(&r);
			fail_msg("run %d: raced %x, not %x; torn %x, not %x; found %x, not %x", i,
				 told.raced, want.raced, told.torn, want.torn, told.found,
				 want.found);
		}
	}
	print_message("HEDDLE_TEST_SEED=%s: %d runs, %d raced, %d with variables that do not; %lu "
		      "locations crowded, %lu lines as a whole\n",
		      seed ? seed : "20261116", rounds, raced, clean, (unsigned long)crowded,
		      (unsigned long)whole);
	assert_true(raced > rounds / 20 && clean > rounds / 20 && crowded > 0 && whole > 1000);
}

/* Two tasks side by side, of which no access has a place of its own. */
static void start_pair(struct run *r)
{
	*r = (struct run){ .ntasks = 1, .places = 1 };
	hd_rng_seed(&r->rng, SEED);
	r->tasks[0].scope = -1;
	do_spawn(r, 0);
	do_spawn(r, 0);
}

static void assert_raced(const struct run *r, uint32_t raced)
{
	assert_int_equal(analyse(r, false).raced, raced);
	assert_int_equal(analyse(r, true).raced, raced);
}

/* A line and then eight bytes of another one: the second four of them are known, too. */
static void test_line_then_pair(void **state)
{
	static struct run r;

	start_pair(&r);
	say(&r, 1, HD_OP_WRITE, VAR_AT(0), HD_THIN_LINE, 8);
	say(&r, 1, HD_OP_WRITE, VAR_AT(16), 8, 8);
	say(&r, 2, HD_OP_READ, VAR_AT(16) + 4, 4, 4);
	assert_raced(&r, 1u << 16);
}

/* The same where both were words before. */
static void test_words_then_pair(void **state)
{
	static struct run r;

	start_pair(&r);
	say(&r, 1, HD_OP_READ, VAR_AT(0), HD_THIN_LINE, 4);
	say(&r, 1, HD_OP_READ, VAR_AT(8), HD_THIN_LINE, 4);
	say(&r, 1, HD_OP_READ, VAR_AT(15), 8, 8);
	say(&r, 1, HD_OP_WRITE, VAR_AT(0), HD_THIN_LINE, 8);
	say(&r, 1, HD_OP_WRITE, VAR_AT(8), 8, 8);
	say(&r, 2, HD_OP_READ, VAR_AT(8) + 4, 4, 4);
	assert_raced(&r, 1u << 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_crowds),
		cmocka_unit_test(test_line_then_pair),
		cmocka_unit_test(test_words_then_pair),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
