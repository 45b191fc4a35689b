/*
 * The SAT procedure: against all interleavings of small random runs, on what it leaves out,
 * and at its limits.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "exhaustive.h"
#include "predict/sat.h"
#include "predict/solve.h"
#include "predict/validate.h"
#include "random_instance.h"

#define SEED	    20240607
#define RANDOM_RUNS 24000
#define LONGER_RUNS 1000

static const struct hd_sat_limits NO_LIMITS;

static enum hd_answer solve(const struct hd_instance *in, const struct hd_step_goal *goal,
			    struct hd_solution *out)
{
	struct hd_errbuf eb = { .text = "" };
	enum hd_err err = hd_sat_solve(in, goal, &NO_LIMITS, hd_validate, out, &eb);

	if (err)
		fail_msg("%s", eb.text);
	return out->answer;
}

static enum hd_answer answer(struct hd_step *steps, size_t n, const struct hd_step_goal *goal)
{
	uint64_t init[4] = { 0 };
	struct hd_instance in = {
		.steps = steps,
		.nsteps = n,
		.nthreads = 4,
		.nlocations = 4,
		.nlocks = 4,
		.init = init,
	};
	struct hd_solution s;
	enum hd_answer a = solve(&in, goal, &s);

	free(s.steps);
	return a;
}

static void agrees_with_exhaustive_search(void **state)
{
	size_t decided[GOAL_LIMIT][3] = { 0 }, total = 0;
	struct hd_rng rng;

	hd_rng_seed(&rng, SEED);
	for (int i = 0; total < (getenv("HEDDLE_TEST_FULL") ? 10 : 1) * RANDOM_RUNS; i++) {
		struct random_shape shape = random_small_shape(&rng);
		enum goal_kind kind = (enum goal_kind)(i % GOAL_LIMIT);
		struct hd_instance in;
		struct hd_step_goal goal;
		struct hd_solution s;
		enum hd_answer expected;

		assert_true(random_instance(&rng, &shape, &in));
		if (random_goal(&rng, &in, kind, &goal)) {
			expected = exhaustive_answer(&in, &goal);
			if (solve(&in, &goal, &s) != expected)
				fail_msg("run %d, goal kind %d: exhaustive search says %d", i, kind,
					 expected);
			free(s.steps);
			decided[kind][expected]++;
			total++;
		}
		hd_instance_free(&in);
	}
	/* Not worth much unless every kind is met with both answers. */
	for (int kind = 0; kind < GOAL_LIMIT; kind++)
		for (int yes = 0; yes < 2; yes++)
			assert_true(decided[kind][yes] >= 100);
}

/* Runs too long for exhaustive search: the two procedures share no code but the validator. */
static void agrees_with_the_search(void **state)
{
	size_t decided[3] = { 0 };
	struct hd_rng rng;

	hd_rng_seed(&rng, SEED + 1);
	for (int i = 0; decided[0] + decided[1] < LONGER_RUNS; i++) {
		struct random_shape shape = { .threads = 2 + i % 4,
					      .locations = 4,
					      .locks = 3,
					      .values = 3,
					      .steps = 30 + i % 40,
					      .forks = i % 2,
					      .slice = 4,
					      .locked_blocks = i % 3 > 0,
					      .semaphores = i % 5 == 0,
					      .tries = i % 4 == 0 };
		struct hd_instance in;
		struct hd_step_goal goal;
		struct hd_solution sat, search;

		assert_true(random_instance(&rng, &shape, &in));
		if (random_goal(&rng, &in, (enum goal_kind)(i % GOAL_LIMIT), &goal)) {
			assert_int_equal(hd_solve(&in, &goal, NULL, &search, NULL), HD_OK);
			assert_true(search.answer != HD_UNDECIDED || search.beyond_assumed);
			if (solve(&in, &goal, &sat) != search.answer)
				fail_msg("run %d: the search says %d", i, search.answer);
			decided[search.answer]++;
			free(sat.steps);
			hd_solution_free(&search);
		}
		hd_instance_free(&in);
	}
	assert_true(decided[0] >= LONGER_RUNS / 10 && decided[1] >= LONGER_RUNS / 10);
}

#define R(t, x, v)                                                                                 \
	{                                                                                          \
		.kind = HD_STEP_READ, .thread = t, .object = x, .value = v                         \
	}
#define W(t, x, v)                                                                                 \
	{                                                                                          \
		.kind = HD_STEP_WRITE, .thread = t, .object = x, .value = v                        \
	}
#define ACQ(t, l)                                                                                  \
	{                                                                                          \
		.kind = HD_STEP_ACQUIRE, .thread = t, .object = l                                  \
	}
#define REL(t, l)                                                                                  \
	{                                                                                          \
		.kind = HD_STEP_RELEASE, .thread = t, .object = l                                  \
	}
#define RACQ(t, l)                                                                                 \
	{                                                                                          \
		.kind = HD_STEP_ACQUIRE, .thread = t, .object = l, .shared = true                  \
	}
#define RREL(t, l)                                                                                 \
	{                                                                                          \
		.kind = HD_STEP_RELEASE, .thread = t, .object = l, .shared = true                  \
	}
#define FORK(t, u)                                                                                 \
	{                                                                                          \
		.kind = HD_STEP_FORK, .thread = t, .object = u                                     \
	}
#define JOIN(t, u)                                                                                 \
	{                                                                                          \
		.kind = HD_STEP_JOIN, .thread = t, .object = u                                     \
	}
#define BEGIN(t)                                                                                   \
	{                                                                                          \
		.kind = HD_STEP_BEGIN, .thread = t                                                 \
	}
#define NSTEPS(s) (sizeof(s) / sizeof *(s))
#define ORDER(...)                                                                                 \
	&(struct hd_step_goal)                                                                     \
	{                                                                                          \
		.order = { __VA_ARGS__ }, .norder = sizeof((int[]){ __VA_ARGS__ }) / sizeof(int)   \
	}
#define NEXT(...)                                                                                  \
	&(struct hd_step_goal)                                                                     \
	{                                                                                          \
		.next = { __VA_ARGS__ }, .nnext = sizeof((int[]){ __VA_ARGS__ }) / sizeof(int)     \
	}

/* Thread 2 writes x only because it read the flag that thread 1 set. */
static void waits_for_the_flag(void **state)
{
	struct hd_step s[] = { R(0, 0, 0), W(0, 1, 1), R(0, 0, 0), R(1, 1, 1), W(1, 0, 7) };

	assert_int_equal(answer(s, 5, ORDER(0, 4, 2)), HD_FEASIBLE);
	/* It cannot come before the flag is set, nor before the first read. */
	assert_int_equal(answer(s, 5, ORDER(4, 1)), HD_INFEASIBLE);
	assert_int_equal(answer(s, 5, ORDER(4, 0)), HD_INFEASIBLE);
}

static void a_read_at_the_goal_stops_its_thread(void **state)
{
	struct hd_step s[] = { R(0, 0, 0), W(0, 1, 1), W(1, 0, 5) };
	struct hd_step_goal goal;

	assert_int_equal(answer(s, 3, ORDER(2, 0)), HD_FEASIBLE);
	/* The write behind the read is the goal: now the read must see 0. */
	assert_int_equal(answer(s, 3, ORDER(2, 0, 1)), HD_INFEASIBLE);
	goal = (struct hd_step_goal){ .order = { 2, 0 }, .norder = 2, .next = { 1 }, .nnext = 1 };
	assert_int_equal(answer(s, 3, &goal), HD_INFEASIBLE);
}

static void sections_exclude_each_other(void **state)
{
	struct hd_step s[] = { ACQ(0, 0), W(0, 0, 1), W(0, 0, 2), REL(0, 0),
			       ACQ(1, 0), W(1, 0, 3), REL(1, 0) };

	assert_int_equal(answer(s, 7, ORDER(1, 5, 2)), HD_INFEASIBLE);
	assert_int_equal(answer(s, 7, ORDER(5, 1)), HD_FEASIBLE);
	assert_int_equal(answer(s, 7, NEXT(1, 5)), HD_INFEASIBLE);
	assert_int_equal(answer(s, 7, NEXT(1, 4)), HD_FEASIBLE);
}

static void read_locks_exclude_only_writers(void **state)
{
	struct hd_step s[] = { RACQ(0, 0), R(0, 0, 0), RREL(0, 0), RACQ(1, 0), R(1, 0, 0),
			       RREL(1, 0), ACQ(2, 0),  W(2, 0, 1), REL(2, 0) };

	assert_int_equal(answer(s, 9, NEXT(1, 4)), HD_FEASIBLE);
	assert_int_equal(answer(s, 9, NEXT(1, 7)), HD_INFEASIBLE);
	assert_int_equal(answer(s, 9, NEXT(4, 7)), HD_INFEASIBLE);
}

static void threads_run_between_fork_and_join(void **state)
{
	struct hd_step s[] = { W(0, 0, 1), FORK(0, 1), W(1, 0, 2), JOIN(0, 1), W(0, 0, 3) };

	assert_int_equal(answer(s, 5, ORDER(2, 0)), HD_INFEASIBLE);
	assert_int_equal(answer(s, 5, ORDER(4, 2)), HD_INFEASIBLE);
	assert_int_equal(answer(s, 5, ORDER(2, 4)), HD_FEASIBLE);
	/* A thread that is not there yet has no next step. */
	assert_int_equal(answer(s, 5, NEXT(0, 2)), HD_INFEASIBLE);
	assert_int_equal(answer(s, 5, NEXT(2, 3)), HD_FEASIBLE);
	assert_int_equal(answer(s, 5, NEXT(2, 4)), HD_INFEASIBLE);
}

/* A thread of which nothing was recorded can be joined once it is there. */
static void threads_without_steps(void **state)
{
	struct hd_step s[] = { W(0, 0, 1), FORK(0, 2), JOIN(1, 2), W(1, 0, 2) };

	assert_int_equal(answer(s, 4, ORDER(1, 2)), HD_FEASIBLE);
	assert_int_equal(answer(s, 4, ORDER(2, 1)), HD_INFEASIBLE);
	assert_int_equal(answer(s, 4, NEXT(0, 3)), HD_INFEASIBLE);
}

static void deadlock_of_two(void **state)
{
	struct hd_step s[] = { ACQ(0, 0), ACQ(0, 1), REL(0, 1), REL(0, 0),
			       ACQ(1, 1), ACQ(1, 0), REL(1, 0), REL(1, 1) };
	struct hd_step gated[] = {
		ACQ(0, 2), ACQ(0, 0), ACQ(0, 1), REL(0, 1), REL(0, 0), REL(0, 2),
		ACQ(1, 2), ACQ(1, 1), ACQ(1, 0), REL(1, 0), REL(1, 1), REL(1, 2)
	};

	assert_int_equal(answer(s, NSTEPS(s), NEXT(1, 5)), HD_FEASIBLE);
	assert_int_equal(answer(gated, NSTEPS(gated), NEXT(2, 8)), HD_INFEASIBLE);
}

/* Accept whatever comes, for instances that start inside a critical section. */
static enum hd_err believe(const struct hd_instance *in, const struct hd_step_goal *goal,
			   const uint32_t *steps, size_t nsteps, struct hd_errbuf *eb)
{
	return HD_OK;
}

static void locks_held_from_the_start(void **state)
{
	/* Thread 0 holds lock 0 twice when the window starts. */
	struct hd_step s[] = {
		W(0, 0, 1), REL(0, 0), W(0, 0, 2), REL(0, 0), ACQ(1, 0), W(1, 0, 3)
	};
	struct hd_instance in = {
		.steps = s, .nsteps = NSTEPS(s), .nthreads = 2, .nlocations = 1, .nlocks = 1
	};
	struct hd_solution out;

	assert_int_equal(hd_sat_solve(&in, ORDER(5, 2), &NO_LIMITS, believe, &out, NULL), HD_OK);
	assert_int_equal(out.answer, HD_INFEASIBLE);
	assert_int_equal(hd_sat_solve(&in, ORDER(2, 5), &NO_LIMITS, believe, &out, NULL), HD_OK);
	assert_int_equal(out.answer, HD_FEASIBLE);
	assert_int_equal(out.nsteps, 6);
	assert_int_equal(out.steps[3], 3);
	free(out.steps);
}

/* What has nothing to do with the goal does not count, and is not in the schedule. */
static void only_what_matters_counts(void **state)
{
	enum { NOISE = 3000 };
	struct hd_step *s = calloc(NOISE + 4, sizeof *s);
	struct hd_instance in = { .steps = s, .nsteps = NOISE + 4, .nthreads = 3, .nlocations = 2 };
	struct hd_sat_limits limits = { .steps = 4 };
	struct hd_solution out;

	assert_non_null(s);
	s[0] = (struct hd_step)W(0, 0, 1);
	s[1] = (struct hd_step)BEGIN(0);
	s[2] = (struct hd_step)W(0, 0, 2);
	for (int i = 0; i < NOISE; i++)
		s[3 + i] = (struct hd_step)W(2, 1, 1);
	s[NOISE + 3] = (struct hd_step)R(1, 0, 2);
	assert_int_equal(
		hd_sat_solve(&in, ORDER(0, NOISE + 3, 2), &limits, hd_validate, &out, NULL), HD_OK);
	assert_int_equal(out.answer, HD_FEASIBLE);
	assert_int_equal(out.nsteps, 4);
	free(out.steps);
	/* The three steps of the goal are more than two. */
	limits.steps = 2;
	assert_int_equal(
		hd_sat_solve(&in, ORDER(0, NOISE + 3, 2), &limits, hd_validate, &out, NULL), HD_OK);
	assert_int_equal(out.answer, HD_UNDECIDED);
	assert_string_equal(out.why, "too many steps for the SAT solver");
	assert_null(out.steps);
	free(s);
}

static enum hd_err refuse(const struct hd_instance *in, const struct hd_step_goal *goal,
			  const uint32_t *steps, size_t nsteps, struct hd_errbuf *eb)
{
	return hd_fail(eb, HD_ERR_INVALID, "no");
}

static void a_schedule_is_checked(void **state)
{
	struct hd_step s[] = { W(0, 0, 1), W(1, 0, 2) };
	struct hd_instance in = { .steps = s, .nsteps = 2, .nthreads = 2, .nlocations = 1 };
	struct hd_errbuf eb = { .text = "" };
	struct hd_solution out;

	assert_int_equal(hd_sat_solve(&in, ORDER(1, 0), &NO_LIMITS, refuse, &out, &eb),
			 HD_ERR_INVALID);
	assert_string_equal(eb.text, "the SAT solver's schedule is wrong: no");
	assert_int_equal(out.answer, HD_UNDECIDED);
	assert_null(out.steps);
	assert_int_equal(hd_sat_solve(&in, ORDER(2), &NO_LIMITS, hd_validate, &out, &eb),
			 HD_ERR_INVALID);
	assert_string_equal(eb.text, "the goal names step 2 of 2");
}

/* Two hundred steps of four threads in one order that values force, and one against it. */
static void two_hundred_steps(void **state)
{
	enum { N = 200 };
	struct hd_step s[N];
	struct hd_instance in = { .steps = s, .nsteps = N, .nthreads = 4, .nlocations = 1 };
	struct hd_solution out;

	/* Every thread reads what the one before wrote, and passes on the next number. */
	for (uint32_t i = 0; i < N / 2; i++) {
		s[2 * i] = (struct hd_step)R(i % 4, 0, i);
		s[2 * i + 1] = (struct hd_step)W(i % 4, 0, i + 1);
	}
	assert_int_equal(solve(&in, ORDER(1, N - 1), &out), HD_FEASIBLE);
	assert_int_equal(out.nsteps, N);
	for (uint32_t i = 0; i < N; i++)
		assert_int_equal(out.steps[i], i);
	free(out.steps);
	/* The last write does not happen before the one that its read depends on. */
	assert_int_equal(solve(&in, ORDER(N - 1, N - 3), &out), HD_INFEASIBLE);
}

static void without_a_solver(void **state)
{
	struct hd_step s[] = { W(0, 0, 1) };
	struct hd_instance in = { .steps = s, .nsteps = 1, .nthreads = 1, .nlocations = 1 };
	struct hd_errbuf eb = { .text = "" };
	struct hd_solution out;

	assert_int_equal(hd_sat_solve(&in, ORDER(0), &NO_LIMITS, hd_validate, &out, &eb),
			 HD_ERR_UNSUPPORTED);
	assert_non_null(strstr(eb.text, "libcadical-dev"));
	assert_int_equal(out.answer, HD_UNDECIDED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(waits_for_the_flag),
		cmocka_unit_test(a_read_at_the_goal_stops_its_thread),
		cmocka_unit_test(sections_exclude_each_other),
		cmocka_unit_test(read_locks_exclude_only_writers),
		cmocka_unit_test(threads_run_between_fork_and_join),
		cmocka_unit_test(threads_without_steps),
		cmocka_unit_test(deadlock_of_two),
		cmocka_unit_test(locks_held_from_the_start),
		cmocka_unit_test(only_what_matters_counts),
		cmocka_unit_test(a_schedule_is_checked),
		cmocka_unit_test(two_hundred_steps),
		cmocka_unit_test(agrees_with_exhaustive_search),
		cmocka_unit_test(agrees_with_the_search),
	};
	const struct CMUnitTest absent[] = { cmocka_unit_test(without_a_solver) };

	if (!hd_sat_available())
		return cmocka_run_group_tests(absent, NULL, NULL);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
