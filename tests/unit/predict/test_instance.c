/*
 * Traces as prediction problems: what becomes of each kind of event, and that the observed
 * order is a solution of the result whatever the events are.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/rng.h"
#include "instance_of.h"
#include "predict/solve.h"
#include "predict/validate.h"
#include "trace/trace_text.h"

static struct hd_instance of_text(const char *text)
{
	struct hd_errbuf eb = { 0 };
	struct hd_trace_writer *w;
	int fd;

	w = start_trace(&fd);
	if (hd_text_import(text, strlen(text), "run", w, &eb))
		fail_msg("%s", eb.text);
	assert_int_equal(hd_trace_finish(w, NULL, &eb), HD_OK);
	return instance_of_file(fd);
}

/* All steps in the observed order must be a schedule: the run has happened. */
static void check_observed(const struct hd_instance *in)
{
	uint32_t *all = calloc(in->nsteps + 1, sizeof(*all));
	struct hd_step_goal nothing = { 0 };
	struct hd_errbuf eb = { 0 };

	assert_non_null(all);
	for (uint32_t i = 0; i < in->nsteps; i++) {
		all[i] = i;
		if (i)
			assert_true(in->steps[i].index >= in->steps[i - 1].index);
	}
	if (hd_validate(in, &nothing, all, in->nsteps, &eb))
		fail_msg("%s", eb.text);
	free(all);
}

static enum hd_answer answer_to(const struct hd_instance *in, const struct hd_step_goal *goal)
{
	struct hd_solution s;
	struct hd_errbuf eb;

	assert_int_equal(hd_solve(in, goal, NULL, &s, &eb), HD_OK);
	hd_solution_free(&s);
	return s.answer;
}

/* Can the whole of event @b be over before anything of event @a happens? */
static enum hd_answer turned_round(const struct hd_instance *in, uint64_t a, uint64_t b)
{
	uint32_t a_first, a_last, b_first, b_last;

	assert_true(hd_instance_steps_of(in, a, &a_first, &a_last));
	assert_true(hd_instance_steps_of(in, b, &b_first, &b_last));
	return answer_to(in, &(struct hd_step_goal){ .order = { b_last, a_first }, .norder = 2 });
}

static void plain_events(void **state)
{
	struct hd_instance in = of_text("init x 4\n"	 /* 0 */
					"T1 fork T2\n"	 /* 1 */
					"T1 begin\n"	 /* 2 */
					"T1 acquire m\n" /* 3 */
					"T1 read x 4\n"	 /* 4 */
					"T1 write x 5\n" /* 5 */
					"T1 release m\n" /* 6 */
					"T1 end\n"	 /* 7 */
					"T2 read x 5\n"	 /* 8 */
					"T1 join T2\n"); /* 9 */
	static const uint8_t kinds[] = { HD_STEP_FORK, HD_STEP_BEGIN, HD_STEP_ACQUIRE,
					 HD_STEP_READ, HD_STEP_WRITE, HD_STEP_RELEASE,
					 HD_STEP_END,  HD_STEP_READ,  HD_STEP_JOIN };

	(void)state;
	check_observed(&in);
	assert_int_equal(in.nthreads, 2);
	assert_int_equal(in.nlocations, 1);
	assert_int_equal(in.nlocks, 1);
	assert_int_equal(in.init[0], 4);
	assert_int_equal(in.nsteps, 9);
	for (size_t i = 0; i < 9; i++) {
		assert_int_equal(in.steps[i].kind, kinds[i]);
		assert_int_equal(in.steps[i].index, i + 1);
		assert_int_equal(in.steps[i].thread, i == 7);
	}
	assert_int_equal(in.steps[0].object, 1);
	assert_int_equal(in.steps[8].object, 1);
	hd_instance_free(&in);
}

/* Between the read and the write of an atomic addition nobody else writes. */
static void atomic_changes_are_whole(void **state)
{
	struct hd_instance in = of_text("T1 atomic-rmw x 0 1\n"
					"T2 atomic-store x 7\n"
					"T3 atomic-load x 7\n");
	struct hd_step_goal torn = { .norder = 3 };
	uint32_t first, last, other;

	(void)state;
	check_observed(&in);
	assert_true(hd_instance_steps_of(&in, 0, &first, &last));
	assert_int_equal(in.steps[first].kind, HD_STEP_READ);
	assert_int_equal(in.steps[last].kind, HD_STEP_WRITE);
	assert_int_equal(in.steps[last].value, 1);
	assert_true(hd_instance_entry_of(&in, 0, &other));
	assert_int_equal(in.steps[other].kind, HD_STEP_ACQUIRE);
	assert_true(hd_instance_steps_of(&in, 1, &other, &other));
	torn.order[0] = first;
	torn.order[1] = other;
	torn.order[2] = last;
	assert_int_equal(answer_to(&in, &torn), HD_INFEASIBLE);
	hd_instance_free(&in);
}

static void synchronisation_keeps_its_order(void **state)
{
	struct hd_instance in = of_text("T1 post s 1\n" /* 0 */
					"T2 down s 0\n" /* 1 */
					"T2 write x 1\n");
	uint32_t first, last;

	(void)state;
	check_observed(&in);
	assert_int_equal(turned_round(&in, 0, 1), HD_INFEASIBLE);
	assert_true(hd_instance_steps_of(&in, 2, &first, &last));
	assert_int_equal(first, last);
	assert_false(hd_instance_steps_of(&in, 3, &first, &last));
	hd_instance_free(&in);
}

/* Everyone has entered before anyone leaves; who enters first is free. */
static void barriers(void **state)
{
	struct hd_instance in = of_text("T1 write x 1\n"	 /* 0 */
					"T1 barrier-enter b 2\n" /* 1 */
					"T2 barrier-enter b 2\n" /* 2 */
					"T2 barrier-leave b 2\n" /* 3 */
					"T2 barrier-enter b 2\n" /* 4: the next round */
					"T1 barrier-leave b 2\n" /* 5 */
					"T1 barrier-enter b 2\n" /* 6 */
					"T1 barrier-leave b 2\n" /* 7 */
					"T2 barrier-leave b 2\n" /* 8 */
					"T2 write x 2\n");	 /* 9 */

	(void)state;
	check_observed(&in);
	assert_int_equal(turned_round(&in, 1, 2), HD_FEASIBLE);
	assert_int_equal(turned_round(&in, 0, 9), HD_INFEASIBLE);
	assert_int_equal(turned_round(&in, 4, 5), HD_FEASIBLE);
	assert_int_equal(turned_round(&in, 6, 8), HD_INFEASIBLE);
	hd_instance_free(&in);
}

/* Three threads share a barrier for two: T2 could have met T3, so that nothing is proved. */
static void barriers_for_some(void **state)
{
	struct hd_instance in = of_text("T1 write x 1\n"	   /* 0 */
					"T1 barrier-enter b 2\n"   /* 1 */
					"T2 barrier-enter b 2\n"   /* 2 */
					"T2 barrier-leave b 2\n"   /* 3 */
					"T1 barrier-leave b 2\n"   /* 4 */
					"T2 write x 2\n"	   /* 5 */
					"T3 barrier-enter b 2\n"   /* 6 */
					"T1 barrier-enter b 2\n"   /* 7 */
					"T1 barrier-leave b 2\n"   /* 8 */
					"T3 barrier-leave b 2\n"); /* 9 */

	(void)state;
	check_observed(&in);
	assert_int_equal(turned_round(&in, 0, 5), HD_UNDECIDED);
	assert_int_equal(turned_round(&in, 1, 2), HD_FEASIBLE);
	hd_instance_free(&in);
}

/* A try that fails needs somebody to hold the lock. */
static void failed_tries(void **state)
{
	struct hd_instance in = of_text("T1 acquire m\n"	     /* 0 */
					"T2 acquire-fail m 16 try\n" /* 1 */
					"T1 release m\n"	     /* 2 */
					"T2 write x 1\n");	     /* 3 */
	uint32_t first, last;

	(void)state;
	check_observed(&in);
	assert_int_equal(turned_round(&in, 0, 3), HD_INFEASIBLE);
	/* The goal is the write, as a read at the goal would be free to differ. */
	assert_int_equal(turned_round(&in, 2, 3), HD_FEASIBLE);
	assert_true(hd_instance_steps_of(&in, 0, &first, &last));
	assert_int_equal(in.steps[first].kind, HD_STEP_ACQUIRE);
	assert_int_equal(first, last);
	hd_instance_free(&in);
}

/* Accesses of different sizes meet in the cells that they share. */
static void overlapping_accesses(void **state)
{
	static const struct hd_event ev[] = {
		{ .op = HD_OP_WRITE, .thread = 1, .addr = 0x1000, .size = 8, .value = 0x200000001 },
		{ .op = HD_OP_READ, .thread = 2, .addr = 0x1004, .size = 4, .value = 2 },
		{ .op = HD_OP_READ, .thread = 2, .addr = 0x1004, .size = 4, .value = 2 },
		{ .op = HD_OP_WRITE, .thread = 2, .addr = 0x1000, .size = 4, .value = 9 },
		{ .op = HD_OP_READ, .thread = 1, .addr = 0x1000, .size = 8, .value = 0x200000009 },
		{ .op = HD_OP_READ, .thread = 1, .addr = 0x1000, .size = 8, .value = 0x200000009 },
	};
	static const uint64_t index[] = { 0, 0, 1, 2, 3, 4, 4, 5, 5 };
	static const uint64_t value[] = { 1, 2, 2, 2, 9, 9, 2, 9, 2 };
	struct hd_instance in = instance_of_events(ev, 6);

	(void)state;
	check_observed(&in);
	assert_int_equal(in.nlocations, 2);
	assert_int_equal(in.nsteps, 9);
	for (size_t i = 0; i < 9; i++) {
		assert_int_equal(in.steps[i].index, index[i]);
		assert_int_equal(in.steps[i].value, value[i]);
	}
	/* The second half of the read needs the first write, so cannot be before it. */
	assert_int_equal(turned_round(&in, 0, 3), HD_INFEASIBLE);
	hd_instance_free(&in);
}

/* A value that nobody was seen to write: the reader's thread is taken to have written it. */
static void unseen_writes(void **state)
{
	static const struct hd_event ev[] = {
		{ .op = HD_OP_WRITE, .thread = 1, .addr = 0x1000, .size = 4, .value = 1 },
		{ .op = HD_OP_READ, .thread = 2, .addr = 0x1000, .size = 4, .value = 5 },
	};
	struct hd_instance in = instance_of_events(ev, 2);
	uint32_t first, last;

	(void)state;
	check_observed(&in);
	assert_int_equal(in.nsteps, 3);
	assert_int_equal(in.steps[1].kind, HD_STEP_WRITE);
	assert_int_equal(in.steps[1].thread, 1);
	assert_true(in.steps[1].added);
	assert_true(hd_instance_steps_of(&in, 1, &first, &last));
	assert_int_equal(first, 2);
	assert_int_equal(last, 2);
	hd_instance_free(&in);
}

/* Threads that come and go, locations of one thread and of many, of different sizes; some values nobody was seen to write. */
static void random_events(void **state)
{
	static const uint8_t ops[] = { HD_OP_READ,	  HD_OP_READ,	      HD_OP_READ,
				       HD_OP_READ,	  HD_OP_READ,	      HD_OP_WRITE,
				       HD_OP_ATOMIC_LOAD, HD_OP_ATOMIC_STORE, HD_OP_ATOMIC_RMW,
				       HD_OP_INIT };
	struct hd_rng rng;

	(void)state;
	hd_rng_seed(&rng, 20261120);
	for (unsigned run = 0; run < 3000; run++) {
		struct hd_event ev[64];
		uint32_t nthreads = 1, first = (uint32_t)hd_rng_below(&rng, 8) ? 1 : 0;
		struct hd_instance in;
		size_t n = 0;

		while (n < 10 + run % 50) {
			uint32_t t = first + (uint32_t)hd_rng_below(&rng, nthreads);
			uint64_t addr = 0x1000 + 4 * hd_rng_below(&rng, 16);

			if (nthreads < 4 && !hd_rng_below(&rng, 8)) {
				/* Now and then by one that nobody made. */
				ev[n++] = (struct hd_event){ .op = HD_OP_FORK,
							     .thread = t,
							     .value = first + nthreads };
				nthreads += 1 + !hd_rng_below(&rng, 8);
				continue;
			}
			if (!hd_rng_below(&rng, 3)) /* its own */
				addr = 0x2000 + 64 * t + 4 * hd_rng_below(&rng, 3);
			ev[n++] = (struct hd_event){
				.op = ops[hd_rng_below(&rng, sizeof(ops))],
				.thread = t,
				.addr = addr,
				.size = hd_rng_below(&rng, 3) ? 4 : 8,
				.value = hd_rng_below(&rng, 12) / 10,
				.value2 = hd_rng_below(&rng, 12) / 10,
			};
		}
		in = instance_of_events(ev, n);
		hd_instance_free(&in);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain_events),
		cmocka_unit_test(atomic_changes_are_whole),
		cmocka_unit_test(synchronisation_keeps_its_order),
		cmocka_unit_test(barriers),
		cmocka_unit_test(barriers_for_some),
		cmocka_unit_test(failed_tries),
		cmocka_unit_test(overlapping_accesses),
		cmocka_unit_test(unseen_writes),
		cmocka_unit_test(random_events),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
