/*
 * Prediction over events of several sizes. An access of many cells is many steps to the solvers,
 * but it is one event: no schedule may take it apart, and none may be missed for that. Compared with all
 * orders of whole events, byte by byte.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/rng.h"
#include "predict/predict.h"
#include "trace/plan.h"
#include "trace/trace_writer.h"

#define BASE	0x1000u
#define BYTES	8
#define EVENTS	8
#define THREADS 3

struct run {
	struct hd_event ev[EVENTS];
	size_t n;
};

/* ---- all orders -------------------------------------------------------------------------- */

struct memory {
	unsigned char bytes[BYTES];
};

static uint64_t load(const struct memory *m, const struct hd_event *ev)
{
	uint64_t v = 0;

	memcpy(&v, m->bytes + (ev->addr - BASE), ev->size);
	return v;
}

static void store(struct memory *m, const struct hd_event *ev, uint64_t v)
{
	memcpy(m->bytes + (ev->addr - BASE), &v, ev->size);
}

static bool writes(const struct hd_event *ev)
{
	return ev->op == HD_OP_WRITE || ev->op == HD_OP_ATOMIC_STORE || ev->op == HD_OP_ATOMIC_RMW;
}

static bool reads(const struct hd_event *ev)
{
	return !writes(ev) || ev->op == HD_OP_ATOMIC_RMW;
}

struct walk {
	const struct run *run;
	const struct hd_goal *goal;
	unsigned done; /* bits of events */
	bool stopped[THREADS + 1];
	struct memory memory;
	size_t reached;
};

static bool may_differ(const struct walk *w, size_t event)
{
	const struct hd_goal *g = w->goal;
	size_t happen = g->norder - g->open_end;
	bool last = false;

	for (size_t i = 0; i < g->norder; i++) {
		if (g->order[i] == event)
			last = i < happen &&
			       (!writes(&w->run->ev[event]) || (i + 1 == happen && !g->nnext));
		else if (w->run->ev[g->order[i]].thread == w->run->ev[event].thread)
			last = false;
	}
	return last;
}

/* The event that @thread does next, or n. */
static size_t next_of(const struct walk *w, uint32_t thread)
{
	for (size_t i = 0; i < w->run->n; i++)
		if (w->run->ev[i].thread == thread && !(w->done & 1u << i))
			return i;
	return w->run->n;
}

static bool do_event(struct walk *w, size_t i)
{
	const struct hd_event *ev = &w->run->ev[i];
	const struct hd_goal *g = w->goal;
	size_t happen = g->norder - g->open_end;

	if (w->stopped[ev->thread] || (g->open_end && g->order[happen] == i))
		return false;
	for (size_t k = 0; k < g->nnext; k++)
		if (g->next[k] == i)
			return false;
	for (size_t k = 0; k < happen; k++) {
		if (g->order[k] != i)
			continue;
		if (k != w->reached)
			return false;
		w->reached++;
		break;
	}
	if (reads(ev) && load(&w->memory, ev) != ev->value) {
		if (!may_differ(w, i))
			return false;
		w->stopped[ev->thread] = true;
	}
	if (writes(ev))
		store(&w->memory, ev, ev->op == HD_OP_ATOMIC_RMW ? ev->value2 : ev->value);
	w->done |= 1u << i;
	return true;
}

static bool there(const struct walk *w)
{
	if (w->reached < w->goal->norder - w->goal->open_end)
		return false;
	for (size_t k = 0; k < w->goal->nnext; k++) {
		uint32_t thread = w->run->ev[w->goal->next[k]].thread;

		if (w->stopped[thread] || next_of(w, thread) != w->goal->next[k])
			return false;
	}
	return true;
}

static bool any_order(const struct walk *from)
{
	if (there(from))
		return true;
	for (uint32_t t = 1; t <= THREADS; t++) {
		struct walk w = *from;
		size_t i = next_of(&w, t);

		if (i < w.run->n && do_event(&w, i) && any_order(&w))
			return true;
	}
	return false;
}

/* ---- random runs ------------------------------------------------------------------------- */

static struct run random_run(struct hd_rng *rng)
{
	static const struct {
		unsigned at, size;
	} shapes[] = { { 0, 8 }, { 0, 8 }, { 0, 4 }, { 4, 4 }, { 2, 4 }, { 0, 2 }, { 6, 2 } };
	struct memory memory = { { 0 } };
	struct run run = { .n = 3 + hd_rng_below(rng, EVENTS - 2) };

	for (size_t i = 0; i < run.n; i++) {
		struct hd_event *ev = &run.ev[i];
		size_t shape = hd_rng_below(rng, sizeof(shapes) / sizeof(*shapes));
		uint64_t value = 0x0101010101010101ull * hd_rng_below(rng, 3);
		unsigned op = hd_rng_below(rng, 8);

		*ev = (struct hd_event){ .thread = 1 + hd_rng_below(rng, THREADS),
					 .addr = BASE + shapes[shape].at,
					 .size = shapes[shape].size };
		if (ev->size < 8)
			value &= (1ull << 8 * ev->size) - 1;
		if (op < 4) {
			ev->op = HD_OP_READ;
			ev->value = load(&memory, ev);
		} else if (op < 7) {
			ev->op = HD_OP_WRITE;
			ev->value = value;
			store(&memory, ev, value);
		} else {
			ev->op = HD_OP_ATOMIC_RMW;
			ev->value = load(&memory, ev);
			ev->value2 = value;
			store(&memory, ev, value);
		}
	}
	return run;
}

static struct hd_goal random_goal(struct hd_rng *rng, const struct run *run)
{
	struct hd_goal w = { 0 };
	unsigned used = 0;
	size_t want = 2 + hd_rng_below(rng, 2);
	bool next = hd_rng_below(rng, 3) == 0;

	while (w.norder + w.nnext < want) {
		size_t i = hd_rng_below(rng, (uint32_t)run->n);

		if (used & 1u << i)
			continue;
		used |= 1u << i;
		if (next)
			w.next[w.nnext++] = i;
		else
			w.order[w.norder++] = i;
	}
	w.open_end = !next && hd_rng_below(rng, 2);
	return w;
}

/* ---- comparing --------------------------------------------------------------------------- */

static struct hd_trace *trace_of(const struct run *run)
{
	const struct hd_trace_meta meta = { 0 };
	struct hd_trace_writer *w;
	struct hd_trace *t;
	int fd = memfd_create("trace", 0);
	char path[64];

	assert_true(fd >= 0);
	assert_int_equal(hd_trace_create_fd(&w, dup(fd), "memory", &meta, NULL), HD_OK);
	for (size_t i = 0; i < run->n; i++)
		assert_int_equal(hd_trace_put(w, &run->ev[i]), HD_OK);
	assert_int_equal(hd_trace_finish(w, NULL, NULL), HD_OK);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	assert_int_equal(hd_trace_open(&t, path, NULL), HD_OK);
	close(fd);
	return t;
}

static void show(const struct run *run, const struct hd_goal *w, uint64_t seed)
{
	print_error("seed %llu\n", (unsigned long long)seed);
	for (size_t i = 0; i < run->n; i++)
		print_error("%zu T%u %s +%u..%u %llx %llx\n", i, run->ev[i].thread,
			    hd_op_info[run->ev[i].op].name, (unsigned)(run->ev[i].addr - BASE),
			    (unsigned)(run->ev[i].addr - BASE) + run->ev[i].size,
			    (unsigned long long)run->ev[i].value,
			    (unsigned long long)run->ev[i].value2);
	print_error("order");
	for (size_t i = 0; i < w->norder; i++)
		print_error(" %u", (unsigned)w->order[i]);
	print_error("%s, next", w->open_end ? " open" : "");
	for (size_t i = 0; i < w->nnext; i++)
		print_error(" %u", (unsigned)w->next[i]);
	print_error("\n");
}

/* Follow the schedule: event by event, it must be possible and reach the goal. */
static bool holds(const struct run *run, const struct hd_goal *goal, const struct hd_prediction *p)
{
	struct walk w = { .run = run, .goal = goal };

	for (size_t i = 0; i < p->prefix + p->nevents; i++) {
		size_t event = i < p->prefix ? i : p->events[i - p->prefix];

		if (next_of(&w, run->ev[event].thread) != event || !do_event(&w, event))
			return false;
	}
	return there(&w);
}

static void compare(uint64_t seed, size_t *unknown)
{
	struct hd_rng rng;
	struct run run;
	struct hd_goal goal;
	struct hd_prediction got;
	struct hd_predict *p;
	struct hd_trace *t;
	struct hd_errbuf eb = { 0 };
	bool want;

	hd_rng_seed(&rng, seed);
	run = random_run(&rng);
	t = trace_of(&run);
	assert_int_equal(hd_predict_new(&p, t, &eb), HD_OK);
	for (int k = 0; k < 6; k++) {
		goal = random_goal(&rng, &run);
		want = any_order(&(struct walk){ .run = &run, .goal = &goal });
		if (hd_predict_decide(p, &goal, NULL, &got, &eb))
			fail_msg("seed %llu: %s", (unsigned long long)seed, eb.text);
		if (got.decision == HD_DECISION_UNKNOWN) {
			++*unknown;
		} else if ((got.decision == HD_DECISION_FEASIBLE) != want ||
			   (want && !holds(&run, &goal, &got))) {
			show(&run, &goal, seed);
			fail_msg("%s, but all orders say %d", hd_decision_word(got.decision), want);
		}
		hd_prediction_free(&got);
	}
	hd_predict_free(p);
	hd_trace_close(t);
}

static void test_sizes_that_overlap(void **state)
{
	size_t unknown = 0;
	const char *n = getenv("HEDDLE_TEST_ROUNDS"), *from = getenv("HEDDLE_TEST_SEED");
	uint64_t first = from ? strtoull(from, NULL, 10) : 1;
	uint64_t rounds = n ? strtoull(n, NULL, 10) : 2000;

	for (uint64_t seed = first; seed < first + rounds; seed++)
		compare(seed, &unknown);
	print_message("%llu runs from seed %llu, %zu of %llu goals unknown\n",
		      (unsigned long long)rounds, (unsigned long long)first, unknown,
		      (unsigned long long)rounds * 6);
	assert_int_equal(unknown, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sizes_that_overlap),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
