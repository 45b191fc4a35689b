/*
 * Leaving out what no order changes: all interleavings of the run without it reach the same goals
 * as those of the whole run, on very many random small runs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "exhaustive.h"
#include "predict/thin.h"
#include "random_instance.h"

#define SEED	  20261115
#define INSTANCES 60000

static void copy(struct hd_instance *to, const struct hd_instance *from)
{
	*to = *from;
	to->steps = malloc((from->nsteps + 1) * sizeof(*to->steps));
	to->init = malloc((from->nlocations + 1ul) * sizeof(*to->init));
	assert_true(to->steps && to->init);
	memcpy(to->steps, from->steps, from->nsteps * sizeof(*to->steps));
	memcpy(to->init, from->init, from->nlocations * sizeof(*to->init));
	if (from->permits) {
		to->permits = malloc((from->nsemaphores + 1ul) * sizeof(*to->permits));
		assert_non_null(to->permits);
		memcpy(to->permits, from->permits, from->nsemaphores * sizeof(*to->permits));
	}
}

/* Where the step that was at @index is now; false: it was left out. */
static bool find(const struct hd_instance *in, uint32_t index, uint32_t *at)
{
	for (size_t i = 0; i < in->nsteps; i++)
		if (in->steps[i].index == index) {
			*at = (uint32_t)i;
			return true;
		}
	return false;
}

static bool translate(const struct hd_instance *thin, struct hd_step_goal *goal)
{
	for (size_t i = 0; i < goal->norder; i++)
		if (!find(thin, goal->order[i], &goal->order[i]))
			return false;
	for (size_t i = 0; i < goal->nnext; i++)
		if (!find(thin, goal->next[i], &goal->next[i]))
			return false;
	return true;
}

static void same_answers_as_the_whole_run(void **state)
{
	struct hd_rng rng;
	unsigned compared = 0, feasible = 0, dropped = 0;

	(void)state;
	hd_rng_seed(&rng, SEED);
	for (unsigned i = 0; i < INSTANCES; i++) {
		struct random_shape shape = random_small_shape(&rng);
		struct hd_instance in, thin;
		struct hd_step_goal goal, there;
		bool expected;

		assert_true(random_instance(&rng, &shape, &in));
		for (size_t k = 0; k < in.nsteps; k++)
			in.steps[k].index = k;
		copy(&thin, &in);
		assert_int_equal(hd_instance_thin(&thin), HD_OK);
		if (random_goal(&rng, &in, (enum goal_kind)hd_rng_below(&rng, GOAL_LIMIT), &goal)) {
			goal.ignore_values = hd_rng_below(&rng, 4) == 0;
			there = goal;
			if (thin.nsteps < in.nsteps && translate(&thin, &there)) {
				expected = exhaustive_feasible(&in, &goal);
				if (exhaustive_feasible(&thin, &there) != expected)
					fail_msg(
						"seed %u, instance %u: %sfeasible in the whole run",
						SEED, i, expected ? "" : "in");
				compared++;
				feasible += expected;
				dropped += (unsigned)(in.nsteps - thin.nsteps);
			}
		}
		hd_instance_free(&in);
		hd_instance_free(&thin);
	}
	print_message("%u goals, %u of them feasible, %u steps left out\n", compared, feasible,
		      dropped);
	assert_true(compared > 5000 && feasible > 1000 && compared - feasible > 1000);
}

#define STEP(k, t, x)                                                                              \
	{                                                                                          \
		.kind = (k), .thread = (t), .object = (x)                                          \
	}

/* Of seven locations those are left that an order of the threads can change. */
static void what_is_left(void **state)
{
	struct hd_step steps[] = {
		STEP(HD_STEP_WRITE, 0, 0), /* 0: before there is another thread */
		STEP(HD_STEP_WRITE, 0, 1), /* 1: again later */
		STEP(HD_STEP_FORK, 0, 1),    STEP(HD_STEP_WRITE, 0, 1),
		STEP(HD_STEP_READ, 1, 0),    STEP(HD_STEP_READ, 1, 1),
		STEP(HD_STEP_WRITE, 1, 2),   STEP(HD_STEP_READ, 1, 2), /* 2: of one thread */
		STEP(HD_STEP_READ, 0, 3),    STEP(HD_STEP_READ, 1, 3), /* 3: only read */
		STEP(HD_STEP_WRITE, 1, 4),   STEP(HD_STEP_READ, 0, 4), /* 4: handed over */
		STEP(HD_STEP_ACQUIRE, 0, 0), STEP(HD_STEP_RELEASE, 0, 0),
	};
	struct hd_instance run = { .steps = steps,
				   .nsteps = sizeof(steps) / sizeof(*steps),
				   .nthreads = 2,
				   .nlocations = 5,
				   .nlocks = 1,
				   .init = (uint64_t[]){ 10, 11, 12, 13, 14 } };
	struct hd_instance in;
	/* Numbers of the locations change: 1 is 0, 4 is 1. */
	static const uint32_t kinds[] = { HD_STEP_WRITE,   HD_STEP_FORK,   HD_STEP_WRITE,
					  HD_STEP_READ,	   HD_STEP_WRITE,  HD_STEP_READ,
					  HD_STEP_ACQUIRE, HD_STEP_RELEASE };
	static const uint32_t objects[] = { 0, 1, 0, 0, 1, 1, 0, 0 };

	(void)state;
	copy(&in, &run);
	assert_int_equal(hd_instance_thin(&in), HD_OK);
	assert_int_equal(in.nsteps, 8);
	assert_int_equal(in.nlocations, 2);
	assert_int_equal(in.init[0], 11);
	assert_int_equal(in.init[1], 14);
	for (size_t i = 0; i < in.nsteps; i++) {
		assert_int_equal(in.steps[i].kind, kinds[i]);
		assert_int_equal(in.steps[i].object, objects[i]);
	}
	hd_instance_free(&in);
}

/* A second thread that nobody forks is there from the start, so the first is never alone. */
static void nobody_is_alone_beside_a_thread_from_the_start(void **state)
{
	struct hd_step steps[] = { STEP(HD_STEP_WRITE, 0, 0), STEP(HD_STEP_FORK, 0, 1),
				   STEP(HD_STEP_READ, 1, 0), STEP(HD_STEP_READ, 2, 0) };
	struct hd_instance run = { .steps = steps,
				   .nsteps = 4,
				   .nthreads = 3,
				   .nlocations = 1,
				   .init = (uint64_t[]){ 0 } };
	struct hd_instance in;

	(void)state;
	copy(&in, &run);
	assert_int_equal(hd_instance_thin(&in), HD_OK);
	assert_int_equal(in.nsteps, 4);
	hd_instance_free(&in);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_left),
		cmocka_unit_test(nobody_is_alone_beside_a_thread_from_the_start),
		cmocka_unit_test(same_answers_as_the_whole_run),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
