/*
 * The solver against all interleavings of small random runs, the figures of the paper that it
 * is after, one case for every rule of goals, and a validator that is not to be fooled.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "exhaustive.h"
#include "predict/solve.h"
#include "predict/validate.h"
#include "predict/window.h"
#include "random_instance.h"

#define SEED	  20240717
#define INSTANCES 120000 /* with HEDDLE_TEST_FULL ten times as many */

#define R(t, x, v)                                                                                 \
	{                                                                                          \
		.kind = HD_STEP_READ, .thread = (t), .object = (x), .value = (v)                   \
	}
#define W(t, x, v)                                                                                 \
	{                                                                                          \
		.kind = HD_STEP_WRITE, .thread = (t), .object = (x), .value = (v)                  \
	}
#define A(t, l)                                                                                    \
	{                                                                                          \
		.kind = HD_STEP_ACQUIRE, .thread = (t), .object = (l)                              \
	}
#define L(t, l)                                                                                    \
	{                                                                                          \
		.kind = HD_STEP_RELEASE, .thread = (t), .object = (l)                              \
	}
#define AS(t, l)                                                                                   \
	{                                                                                          \
		.kind = HD_STEP_ACQUIRE, .thread = (t), .object = (l), .shared = true              \
	}
#define LS(t, l)                                                                                   \
	{                                                                                          \
		.kind = HD_STEP_RELEASE, .thread = (t), .object = (l), .shared = true              \
	}
#define FORK(t, u)                                                                                 \
	{                                                                                          \
		.kind = HD_STEP_FORK, .thread = (t), .object = (u)                                 \
	}
#define JOIN(t, u)                                                                                 \
	{                                                                                          \
		.kind = HD_STEP_JOIN, .thread = (t), .object = (u)                                 \
	}

#define RUN(name, ...)                                                                             \
	static struct hd_step name##_steps[] = { __VA_ARGS__ };                                    \
	static struct hd_instance name = { .steps = name##_steps,                                  \
					   .nsteps = sizeof(name##_steps) / sizeof(*name##_steps), \
					   .nthreads = 3,                                          \
					   .nlocations = 3,                                        \
					   .nlocks = 3 }

static const struct hd_solve_options whole = { .max_states = 1000000,
					       .max_seconds = 60,
					       .max_bytes = 1ul << 28 };

static enum hd_answer answer_to(const struct hd_instance *in, const struct hd_step_goal *goal)
{
	struct hd_solution s;
	struct hd_errbuf eb;

	assert_int_equal(hd_solve(in, goal, &whole, &s, &eb), HD_OK);
	hd_solution_free(&s);
	return s.answer;
}

static struct hd_step_goal pattern(uint32_t e1, uint32_t f, uint32_t e2)
{
	return (struct hd_step_goal){ .order = { e1, f, e2 }, .norder = 3, .open_end = true };
}

static struct hd_step_goal both_next(uint32_t a, uint32_t b)
{
	return (struct hd_step_goal){ .next = { a, b }, .nnext = 2 };
}

/* --- against all interleavings --- */

static void describe(const struct hd_instance *in, const struct hd_step_goal *goal)
{
	static const char *const kinds[] = {
		"read",	 "write", "acquire", "release", "fork", "join",
		"begin", "end",	  "other",   "post",	"down", "fail"
	};

	for (size_t i = 0; i < in->nsteps; i++) {
		const struct hd_step *s = &in->steps[i];

		print_message("%3zu T%u %s%s %u %llu\n", i, s->thread, kinds[s->kind],
			      s->shared ? " shared" : "", s->object, (unsigned long long)s->value);
	}
	for (uint32_t x = 0; x < in->nlocations; x++)
		print_message("init %u %llu\n", x, (unsigned long long)in->init[x]);
	for (size_t i = 0; i < goal->norder; i++)
		print_message("order %u%s\n", goal->order[i],
			      goal->open_end && i + 1 == goal->norder ? " (open)" : "");
	for (size_t i = 0; i < goal->nnext; i++)
		print_message("next %u\n", goal->next[i]);
}

static int by_search[3]; /* answers that took a decision */

static void compare(const struct hd_instance *in, const struct hd_step_goal *goal,
		    const struct hd_solve_options *options, int counts[3])
{
	enum hd_answer expected = exhaustive_answer(in, goal);
	struct hd_step_goal bare = *goal;
	struct hd_errbuf eb = { 0 };
	struct hd_solution s;
	enum hd_err err = hd_solve(in, goal, options, &s, &eb);

	if (err || s.answer != expected || s.beyond_assumed != (expected == HD_UNDECIDED)) {
		describe(in, goal);
		fail_msg("all interleavings say %d; the solver: %s", expected,
			 err ? eb.text : s.why);
	}
	bare.ignore_assumed |= s.beyond_assumed;
	if (expected != HD_INFEASIBLE)
		assert_int_equal(hd_validate(in, &bare, s.steps, s.nsteps, &eb), HD_OK);
	counts[expected]++;
	by_search[expected] += expected != HD_UNDECIDED && !strcmp(s.why, "search");
	hd_solution_free(&s);
}

static void same_as_all_interleavings(void **state)
{
	/* The search alone, and windows around the goal, must come to the same answers. */
	struct hd_solve_options windows = whole;
	int counts[GOAL_LIMIT][3] = { { 0 } };
	struct hd_rng rng;
	int done = 0;

	(void)state;
	windows.first_window = 1;
	print_message("seed %d\n", SEED);
	hd_rng_seed(&rng, SEED);
	while (done < (getenv("HEDDLE_TEST_FULL") ? 10 * INSTANCES : INSTANCES)) {
		struct random_shape shape = random_small_shape(&rng);
		enum goal_kind kind = (enum goal_kind)(done % GOAL_LIMIT);
		struct hd_instance in;
		struct hd_step_goal goal;

		assert_true(random_instance(&rng, &shape, &in));
		if (random_goal(&rng, &in, kind, &goal)) {
			compare(&in, &goal, done / GOAL_LIMIT % 2 == 0 ? &whole : &windows,
				counts[kind]);
			done++;
		}
		hd_instance_free(&in);
	}
	/* Neither answer is rare, so neither can be wrong without being noticed. */
	for (int kind = 0; kind < GOAL_LIMIT; kind++) {
		print_message("goals of kind %d: %d feasible, %d not, %d for what is assumed\n",
			      kind, counts[kind][HD_FEASIBLE], counts[kind][HD_INFEASIBLE],
			      counts[kind][HD_UNDECIDED]);
		assert_true(counts[kind][HD_FEASIBLE] > 500 && counts[kind][HD_INFEASIBLE] > 500);
	}
	print_message("by search: %d feasible, %d not\n", by_search[HD_FEASIBLE],
		      by_search[HD_INFEASIBLE]);
	assert_true(by_search[HD_FEASIBLE] > 1000 && by_search[HD_INFEASIBLE] > 1000);
}

/* --- the paper --- */

/* Figure 1(a), section 4.4: x is location 0, flag is 1. */
RUN(figure_1, R(0, 0, 7), W(0, 1, 1), R(0, 0, 7), R(1, 1, 1), W(1, 0, 8));
static uint64_t figure_1_init[] = { 7, 0, 0 };

static void example_of_section_4_4(void **state)
{
	static const uint32_t plan[] = { 0, 1, 3, 4 }; /* Ac1,1 Ac1,2 Ac2,1 Ac2,2 */
	struct hd_step_goal goal = pattern(0, 4, 2);
	struct hd_errbuf eb;
	struct hd_solution s;

	(void)state;
	figure_1.init = figure_1_init;
	assert_int_equal(hd_solve(&figure_1, &goal, NULL, &s, &eb), HD_OK);
	assert_int_equal(s.answer, HD_FEASIBLE);
	assert_int_equal(s.nsteps, 4);
	assert_memory_equal(s.steps, plan, sizeof(plan));
	hd_solution_free(&s);
}

static void infeasible_schedule_of_figure_1(void **state)
{
	/* 1(b): T2 finds the flag not set. 1(c) is the plan above. */
	static const uint32_t b[] = { 0, 3, 4 }, c[] = { 0, 1, 3, 4 };
	struct hd_step_goal goal = pattern(0, 4, 2);
	struct hd_errbuf eb;

	(void)state;
	figure_1.init = figure_1_init;
	assert_int_equal(hd_validate(&figure_1, &goal, b, 3, &eb), HD_ERR_INVALID);
	assert_string_equal(eb.text, "place 1 of the schedule, step 3: reads another value");
	assert_int_equal(hd_validate(&figure_1, &goal, c, 4, &eb), HD_OK);
	/* If only x were read again before the flag is set, there would be no such schedule. */
	goal = pattern(0, 4, 1);
	assert_int_equal(answer_to(&figure_1, &goal), HD_INFEASIBLE);
}

/* --- rules of goals --- */

RUN(handover, W(0, 0, 1), R(1, 0, 1), W(1, 1, 5), R(2, 1, 5));

static void reads_at_the_goal_are_free(void **state)
{
	struct hd_step_goal early = { .order = { 1, 0 }, .norder = 2 };
	struct hd_step_goal later = { .order = { 1, 2, 0 }, .norder = 3 };
	struct hd_step_goal there = { .order = { 1, 0 }, .norder = 2, .next = { 2 }, .nnext = 1 };

	(void)state;
	/* T1 may read 0 before T0 writes 1, */
	assert_int_equal(answer_to(&handover, &early), HD_FEASIBLE);
	/* but what it does after that is not known, be it done or only next. */
	assert_int_equal(answer_to(&handover, &later), HD_INFEASIBLE);
	assert_int_equal(answer_to(&handover, &there), HD_INFEASIBLE);
}

RUN(crossed, A(0, 0), A(0, 1), L(0, 1), L(0, 0), A(1, 1), A(1, 0), L(1, 0), L(1, 1));
RUN(gated, A(0, 2), A(0, 0), A(0, 1), L(0, 1), L(0, 0), L(0, 2), A(1, 2), A(1, 1), A(1, 0), L(1, 0),
    L(1, 1), L(1, 2));

static void deadlocks(void **state)
{
	struct hd_step_goal goal = both_next(1, 5);

	(void)state;
	assert_int_equal(answer_to(&crossed, &goal), HD_FEASIBLE);
	goal = both_next(2, 8);
	assert_int_equal(answer_to(&gated, &goal), HD_INFEASIBLE);
}

RUN(guarded, A(0, 0), W(0, 0, 1), L(0, 0), A(1, 0), W(1, 0, 2), L(1, 0));
RUN(shared_guard, AS(0, 0), W(0, 0, 1), LS(0, 0), AS(1, 0), W(1, 0, 2), LS(1, 0), A(2, 0),
    W(2, 0, 3), L(2, 0));

static void races(void **state)
{
	struct hd_step_goal goal = both_next(1, 4);

	(void)state;
	assert_int_equal(answer_to(&guarded, &goal), HD_INFEASIBLE);
	/* A lock for reading keeps only writers out. */
	assert_int_equal(answer_to(&shared_guard, &goal), HD_FEASIBLE);
	goal = both_next(1, 7);
	assert_int_equal(answer_to(&shared_guard, &goal), HD_INFEASIBLE);
}

RUN(family, W(0, 0, 1), FORK(0, 1), W(0, 0, 2), W(1, 0, 3), JOIN(0, 1), W(0, 0, 4));

/* A thread that does nothing can be joined once it is there. */
RUN(idle_thread, W(0, 0, 1), FORK(0, 2), JOIN(1, 2), W(1, 0, 2));

static void threads_without_steps(void **state)
{
	static const uint32_t hasty[] = { 2, 0, 1 };
	struct hd_step_goal as_observed = { .order = { 1, 2 }, .norder = 2 };
	struct hd_step_goal turned = { .order = { 2, 1 }, .norder = 2 }, beside = both_next(0, 3);
	struct hd_errbuf eb;

	(void)state;
	assert_int_equal(answer_to(&idle_thread, &as_observed), HD_FEASIBLE);
	assert_int_equal(answer_to(&idle_thread, &turned), HD_INFEASIBLE);
	assert_int_equal(answer_to(&idle_thread, &beside), HD_INFEASIBLE);
	assert_int_equal(hd_validate(&idle_thread, &turned, hasty, 3, &eb), HD_ERR_INVALID);
}

/* With values ignored T1 may write 5 before T0 has written 1; not where the read is firm. */
static void values_ignored(void **state)
{
	struct hd_step_goal goal = { .order = { 2, 0 }, .norder = 2 };

	(void)state;
	assert_int_equal(answer_to(&handover, &goal), HD_INFEASIBLE);
	goal.ignore_values = true;
	assert_int_equal(answer_to(&handover, &goal), HD_FEASIBLE);
	handover_steps[1].firm = true;
	assert_int_equal(answer_to(&handover, &goal), HD_INFEASIBLE);
	goal = (struct hd_step_goal){ .order = { 1, 0 }, .norder = 2 };
	assert_int_equal(answer_to(&handover, &goal), HD_INFEASIBLE);
	handover_steps[1].firm = false;
	assert_int_equal(answer_to(&handover, &goal), HD_FEASIBLE);
}

static void forks_and_joins(void **state)
{
	struct hd_step_goal before_fork = both_next(0, 3), beside = both_next(2, 3);
	struct hd_step_goal after_join = { .order = { 5, 3 }, .norder = 2 };

	(void)state;
	assert_int_equal(answer_to(&family, &before_fork), HD_INFEASIBLE);
	assert_int_equal(answer_to(&family, &beside), HD_FEASIBLE);
	assert_int_equal(answer_to(&family, &after_join), HD_INFEASIBLE);
}

/* A run that begins inside T0's critical section. */
RUN(cut_open, W(0, 0, 1), L(0, 0), A(1, 0), W(1, 0, 2), L(1, 0));

static void locks_held_from_the_start(void **state)
{
	static const uint32_t steals[] = { 2, 3, 0 };
	struct hd_step_goal goal = { .order = { 3, 0 }, .norder = 2 };
	struct hd_errbuf eb;

	(void)state;
	assert_int_equal(answer_to(&cut_open, &goal), HD_INFEASIBLE);
	assert_int_equal(hd_validate(&cut_open, &goal, steals, 3, &eb), HD_ERR_INVALID);
}

static void contradictions_and_nonsense(void **state)
{
	struct hd_step_goal twice = { .order = { 0, 0 }, .norder = 2 };
	struct hd_step_goal backwards = { .order = { 2, 1 }, .norder = 2 };
	struct hd_step_goal done_and_next = {
		.order = { 2 }, .norder = 1, .next = { 2 }, .nnext = 1
	};
	struct hd_step_goal nowhere = { .order = { 99 }, .norder = 1 };
	struct hd_solution s;
	struct hd_errbuf eb;

	(void)state;
	assert_int_equal(answer_to(&handover, &twice), HD_INFEASIBLE);
	assert_int_equal(answer_to(&handover, &backwards), HD_INFEASIBLE);
	assert_int_equal(answer_to(&handover, &done_and_next), HD_INFEASIBLE);
	assert_int_equal(hd_solve(&handover, &nowhere, NULL, &s, &eb), HD_ERR_INVALID);
}

/* --- budgets --- */

static void budgets_are_named(void **state)
{
	struct random_shape shape = {
		.threads = 4, .locations = 2, .values = 3, .steps = 60, .slice = 3
	};
	struct hd_solve_options none = whole;
	int undecided = 0;
	struct hd_rng rng;

	(void)state;
	none.max_states = 0;
	hd_rng_seed(&rng, SEED);
	for (int i = 0; i < 300; i++) {
		struct hd_instance in;
		struct hd_step_goal goal;
		struct hd_solution s;

		assert_true(random_instance(&rng, &shape, &in));
		if (random_goal(&rng, &in, GOAL_PATTERN, &goal)) {
			assert_int_equal(hd_solve(&in, &goal, &none, &s, NULL), HD_OK);
			if (s.answer == HD_UNDECIDED) {
				assert_string_equal(s.why, "states");
				assert_int_equal(s.window_first, s.window_end);
				undecided++;
			}
			hd_solution_free(&s);
		}
		hd_instance_free(&in);
	}
	assert_true(undecided > 0);
}

/* --- windows --- */

/*
 * Two writes that can only change places if a lock handed over long before does, too: in
 * a window that begins after the handover there is no schedule, in the whole run there is.
 */
static void no_schedule_in_a_window_is_no_proof(void **state)
{
	enum { FILLER = 4000, N = FILLER + 6 };
	struct hd_step *steps = calloc(N, sizeof(*steps));
	struct hd_instance in = { .steps = steps, .nthreads = 3, .nlocations = 3, .nlocks = 1 };
	struct hd_solve_options o = whole;
	struct hd_prepared p;
	struct hd_step_goal goal;
	struct hd_solution s;
	struct hd_errbuf eb;

	(void)state;
	assert_non_null(steps);
	/* T1 needs that T0 has not written 1 yet; its read is far before its write. */
	steps[in.nsteps++] = (struct hd_step)R(1, 0, 0);
	steps[in.nsteps++] = (struct hd_step)W(0, 0, 1);
	for (int i = 0; i < FILLER; i++)
		steps[in.nsteps++] = (struct hd_step)W(2, 2, (uint64_t)i % 2);
	steps[in.nsteps++] = (struct hd_step)W(0, 1, 1);
	steps[in.nsteps++] = (struct hd_step)R(1, 1, 1);
	steps[in.nsteps++] = (struct hd_step)W(1, 1, 2);
	assert_int_equal(hd_prepare(&p, &in, &eb), HD_OK);

	/* T0's first write and T1's last cannot be next at once: its read of 1 comes later. */
	goal = both_next(1, (uint32_t)in.nsteps - 1);
	o.first_window = 64;
	assert_int_equal(hd_solve_growing(&p, &goal, &o, &s, &eb), HD_OK);
	assert_int_equal(s.answer, HD_INFEASIBLE);
	assert_int_equal(s.window_first, 0);
	assert_int_equal(s.window_end, in.nsteps);

	/* T0 back before its first write, while T1 is about to read location 1. */
	goal = (struct hd_step_goal){
		.order = { 0 }, .norder = 1, .next = { 1, (uint32_t)in.nsteps - 2 }, .nnext = 2
	};
	assert_int_equal(hd_solve_window(&p, &goal, &o, 64, in.nsteps, &s, &eb), HD_OK);
	assert_int_equal(s.answer, HD_INFEASIBLE);
	assert_int_equal(hd_solve_growing(&p, &goal, &o, &s, &eb), HD_OK);
	assert_int_equal(s.answer, HD_FEASIBLE);
	hd_solution_free(&s);

	/* Near the end a small window is enough, and what is before it stays. */
	goal = both_next((uint32_t)in.nsteps - 3, (uint32_t)in.nsteps - 2);
	assert_int_equal(hd_solve_growing(&p, &goal, &o, &s, &eb), HD_OK);
	assert_int_equal(s.answer, HD_FEASIBLE);
	assert_int_equal(s.window_first, in.nsteps - 3 - 64);
	assert_int_equal(s.observed, s.window_first);
	hd_solution_free(&s);
	hd_prepared_free(&p);
	free(steps);
}

/*
 * Any window: a schedule in it is one of the run, and a refutation by it holds for the run. Each
 * says less than all interleavings do, and never the opposite.
 */
static void windows_tell_the_truth(void **state)
{
	int found = 0, refuted = 0, narrow = 0;
	struct hd_rng rng;

	(void)state;
	print_message("seed %d\n", SEED + 2);
	hd_rng_seed(&rng, SEED + 2);
	for (int i = 0; i < 20000; i++) {
		struct random_shape shape = random_small_shape(&rng);
		struct hd_instance in;
		struct hd_step_goal goal;
		struct hd_prepared p;
		struct hd_solution s;

		assert_true(random_instance(&rng, &shape, &in));
		if (random_goal(&rng, &in, (enum goal_kind)(i % GOAL_LIMIT), &goal)) {
			size_t first = hd_rng_below(&rng, in.nsteps);
			size_t end = first + 1 + hd_rng_below(&rng, in.nsteps - first);
			bool yes = exhaustive_feasible(&in, &goal);

			assert_int_equal(hd_prepare(&p, &in, NULL), HD_OK);
			assert_int_equal(hd_solve_window(&p, &goal, &whole, first, end, &s, NULL),
					 HD_OK);
			found += s.answer == HD_FEASIBLE;
			if (s.answer == HD_FEASIBLE)
				assert_int_equal(hd_validator_check(p.validator, &goal, s.observed,
								    s.steps, s.nsteps, NULL),
						 HD_OK);
			hd_solution_free(&s);
			assert_int_equal(hd_refute_window(&p, &goal, &whole, first, end, &s, NULL),
					 HD_OK);
			if (s.answer == HD_INFEASIBLE && yes) {
				describe(&in, &goal);
				fail_msg("refuted by steps %zu to %zu, and feasible", first, end);
			}
			refuted += s.answer == HD_INFEASIBLE;
			narrow += s.answer == HD_INFEASIBLE && first && end < in.nsteps;
			hd_prepared_free(&p);
		}
		hd_instance_free(&in);
	}
	print_message("%d found, %d refuted, %d of them by less than the run\n", found, refuted,
		      narrow);
	assert_true(found > 1000 && refuted > 2000 && narrow > 200);
}

/* Two semaphores, of which one is used before the other is: each has its own count. */
static void permits_before_a_window(void **state)
{
	struct hd_step steps[] = {
		{ .kind = HD_STEP_POST, .thread = 1, .object = 1 },
		{ .kind = HD_STEP_POST, .thread = 1, .object = 0 },
		{ .kind = HD_STEP_DOWN, .thread = 1, .object = 1 },
		W(2, 0, 1),
		{ .kind = HD_STEP_POST, .thread = 2, .object = 1 },
		{ .kind = HD_STEP_DOWN, .thread = 1, .object = 1 },
		W(1, 1, 1),
	};
	struct hd_instance in = {
		.steps = steps, .nsteps = 7, .nthreads = 3, .nlocations = 2, .nsemaphores = 2
	};
	struct hd_step_goal goal = both_next(3, 6);
	struct hd_errbuf eb;
	struct hd_prepared p;
	struct hd_solution s;

	(void)state;
	assert_int_equal(hd_prepare(&p, &in, &eb), HD_OK);
	assert_int_equal(hd_solve_window(&p, &goal, &whole, 3, 7, &s, &eb), HD_OK);
	assert_int_equal(s.answer, HD_INFEASIBLE);
	hd_prepared_free(&p);
}

/* --- the validator --- */

RUN(busy, FORK(0, 1), A(0, 0), W(0, 0, 1), L(0, 0), A(1, 0), R(1, 0, 1), W(1, 1, 2), L(1, 0),
    R(0, 1, 2), JOIN(0, 1), W(0, 2, 3));

static void refuse(const char *why, const struct hd_step_goal *goal, const uint32_t *steps,
		   size_t n)
{
	struct hd_errbuf eb = { 0 };

	if (hd_validate(&busy, goal, steps, n, &eb) != HD_ERR_INVALID || !strstr(eb.text, why))
		fail_msg("not refused with '%s': %s", why, eb.text);
}

static void validator_names_the_fault(void **state)
{
	struct hd_step_goal write_last = { .order = { 10 }, .norder = 1 };
	struct hd_step_goal next_join = { .next = { 9 }, .nnext = 1 };
	struct hd_step_goal open = { .order = { 2, 6 }, .norder = 2, .open_end = true };
	struct hd_step_goal reversed = { .order = { 6, 2 }, .norder = 2 };
	uint32_t all[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 };
	struct hd_errbuf eb;

	(void)state;
	assert_int_equal(hd_validate(&busy, &write_last, all, 11, &eb), HD_OK);
	assert_int_equal(hd_validate(&busy, &next_join, all, 9, &eb), HD_OK);
	assert_int_equal(hd_validate(&busy, &open, all, 6, &eb), HD_OK);
	refuse("does not happen", &write_last, all, 10);
	refuse("not next at the end", &next_join, all, 10);
	refuse("left open", &open, all, 7);
	refuse("too early", &reversed, all, 11);
	refuse("not the next of its thread", &write_last, (uint32_t[]){ 0, 1, 3 }, 3);
	refuse("not the next of its thread", &write_last, (uint32_t[]){ 0, 1, 1 }, 3);
	refuse("before the fork", &write_last, (uint32_t[]){ 4 }, 1);
	refuse("that is held", &write_last, (uint32_t[]){ 0, 1, 4 }, 3);
	refuse("another value", &write_last, (uint32_t[]){ 0, 4, 5 }, 3);
	refuse("has not ended", &write_last, (uint32_t[]){ 0, 1, 2, 3, 4, 5, 6, 8, 9 }, 9);
	refuse("not in the run", &write_last, (uint32_t[]){ 11 }, 1);
}

/* What is as observed may be taken for granted, all of it or a part. */
static void accepts_after_any_prefix(struct hd_rng *rng, const struct hd_instance *in,
				     const struct hd_step_goal *goal, const struct hd_solution *s,
				     bool expected)
{
	struct hd_validator *v;
	size_t same = 0, n;

	while (same < s->nsteps && s->steps[same] == same)
		same++;
	n = hd_rng_below(rng, same + 1);
	assert_int_equal(hd_validator_new(&v, in), HD_OK);
	assert_int_equal(hd_validator_check(v, goal, n, s->steps + n, s->nsteps - n, NULL) == HD_OK,
			 expected);
	hd_validator_free(v);
}

/* Changed schedules of random runs: the validator must agree with a replay by the oracle. */
static void mutated_schedules(void **state)
{
	int refused = 0, kept = 0;
	struct hd_rng rng;

	(void)state;
	print_message("seed %d\n", SEED + 1);
	hd_rng_seed(&rng, SEED + 1);
	for (int i = 0; i < 20000; i++) {
		struct random_shape shape = random_small_shape(&rng);
		struct hd_instance in;
		struct hd_step_goal goal;
		struct hd_solution s = { 0 };

		assert_true(random_instance(&rng, &shape, &in));
		if (random_goal(&rng, &in, (enum goal_kind)(i % GOAL_LIMIT), &goal) &&
		    hd_solve(&in, &goal, &whole, &s, NULL) == HD_OK && s.nsteps >= 2) {
			size_t a = hd_rng_below(&rng, s.nsteps), b = hd_rng_below(&rng, s.nsteps);
			uint32_t was = s.steps[a];
			bool ok;

			if (i % 3 == 0) { /* leave one out */
				memmove(s.steps + a, s.steps + a + 1,
					(--s.nsteps - a) * sizeof(*s.steps));
			} else { /* change places, or put a third in place of one */
				s.steps[a] = i % 3 == 1 ? s.steps[b]
							: (uint32_t)hd_rng_below(&rng, in.nsteps);
				if (i % 3 == 1)
					s.steps[b] = was;
			}
			ok = hd_validate(&in, &goal, s.steps, s.nsteps, NULL) == HD_OK;
			assert_int_equal(ok, exhaustive_accepts(&in, &goal, s.steps, s.nsteps));
			accepts_after_any_prefix(&rng, &in, &goal, &s, ok);
			refused += !ok;
			kept += ok;
		}
		hd_solution_free(&s);
		hd_instance_free(&in);
	}
	print_message("%d refused, %d still good\n", refused, kept);
	assert_true(refused > 2000 && kept > 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(example_of_section_4_4),
		cmocka_unit_test(infeasible_schedule_of_figure_1),
		cmocka_unit_test(reads_at_the_goal_are_free),
		cmocka_unit_test(deadlocks),
		cmocka_unit_test(races),
		cmocka_unit_test(forks_and_joins),
		cmocka_unit_test(threads_without_steps),
		cmocka_unit_test(values_ignored),
		cmocka_unit_test(locks_held_from_the_start),
		cmocka_unit_test(contradictions_and_nonsense),
		cmocka_unit_test(budgets_are_named),
		cmocka_unit_test(no_schedule_in_a_window_is_no_proof),
		cmocka_unit_test(permits_before_a_window),
		cmocka_unit_test(windows_tell_the_truth),
		cmocka_unit_test(validator_names_the_fault),
		cmocka_unit_test(mutated_schedules),
		cmocka_unit_test(same_as_all_interleavings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
