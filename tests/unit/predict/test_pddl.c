/*
 * The PDDL written: the example of the paper, action by action; random runs, with a planner
 * that finds a plan exactly where there is a run; and plans read back.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "exhaustive.h"
#include "predict/pddl.h"
#include "predict/plan_text.h"
#include "predict/validate.h"
#include "random_instance.h"
#include "strips.h"

#define SEED	    777
#define RANDOM_RUNS 6000

static struct strips strips;

static void write_and_parse(const struct hd_instance *in, const struct hd_step_goal *goal)
{
	char *domain, *problem;
	size_t domain_size, problem_size;
	FILE *d = open_memstream(&domain, &domain_size),
	     *p = open_memstream(&problem, &problem_size);
	const char *wrong;

	assert_true(d && p);
	assert_int_equal(hd_pddl_write(in, goal, d, p), HD_OK);
	fclose(d);
	fclose(p);
	wrong = strips_parse(&strips, domain, problem);
	if (wrong)
		fail_msg("%s\n%s\n%s", wrong, domain, problem);
	free(domain);
	free(problem);
}

/* The run of section 4.4: x is location 0, the flag location 1. */
static struct hd_step example_steps[] = {
	{ .kind = HD_STEP_READ, .thread = 0, .object = 0, .value = 0 },
	{ .kind = HD_STEP_WRITE, .thread = 0, .object = 1, .value = 1 },
	{ .kind = HD_STEP_READ, .thread = 0, .object = 0, .value = 0 },
	{ .kind = HD_STEP_READ, .thread = 1, .object = 1, .value = 1 },
	{ .kind = HD_STEP_WRITE, .thread = 1, .object = 0, .value = 7 },
};
static uint64_t example_init[2];
static const struct hd_instance example = {
	.steps = example_steps, .nsteps = 5, .nthreads = 2, .nlocations = 2, .init = example_init
};
/* e1 = t1,1; f = t2,2; e2 = t1,3 */
static const struct hd_step_goal example_goal = { .order = { 0, 4, 2 },
						  .norder = 3,
						  .open_end = true };

static void assert_action(const char *name, const char *needs, const char *adds,
			  const char *deletes)
{
	const struct strips_action *a = strips_action(&strips, name);

	assert_non_null(a);
	assert_true(strips_atoms(&strips, needs) && a->needs == strips_atoms(&strips, needs));
	assert_true(strips_atoms(&strips, adds) && a->adds == strips_atoms(&strips, adds));
	assert_true(strips_atoms(&strips, deletes) && a->deletes == strips_atoms(&strips, deletes));
}

static void assert_plan(const char *names)
{
	const struct strips_action *plan[STRIPS_PLAN];
	int n = strips_plan(&strips, plan);
	char text[1024] = "";

	for (int i = 0; i < n; i++)
		strcat(strcat(text, i ? " " : ""), plan[i]->name);
	assert_true(n >= 0);
	assert_string_equal(text, names);
}

static void example_of_the_paper(void **state)
{
	write_and_parse(&example, &example_goal);
	assert_int_equal(strips.nactions, 5);
	assert_action("ac1_1", "not_executed t1_1; last_write x0_init", "done t1_1; happened e1",
		      "not_executed t1_1");
	assert_action("ac1_2", "done t1_1; not_executed t1_2", "done t1_2; last_write x1_1_2",
		      "not_executed t1_2; last_write x1_init");
	assert_action("ac1_3", "done t1_2; not_executed t1_3; last_write x0_init; happened f",
		      "done t1_3", "not_executed t1_3");
	assert_action("ac2_1", "not_executed t2_1; last_write x1_1_2", "done t2_1",
		      "not_executed t2_1");
	assert_action("ac2_2", "done t2_1; not_executed t2_2; happened e1",
		      "done t2_2; last_write x0_2_2; happened f",
		      "not_executed t2_2; last_write x0_init");
	assert_true(strips.init == strips_atoms(&strips, "not_executed t1_1; not_executed t1_2; "
							 "not_executed t1_3; not_executed t2_1; "
							 "not_executed t2_2; last_write x0_init; "
							 "last_write x1_init"));
	assert_true(strips.goal == strips_atoms(&strips, "happened f"));
	assert_plan("ac1_1 ac1_2 ac2_1 ac2_2");
}

/* When e2 has to follow, it must be next at the end: here it is already. */
static void example_with_an_end(void **state)
{
	struct hd_step_goal goal = example_goal;

	goal.open_end = false;
	write_and_parse(&example, &goal);
	assert_int_equal(strips.nactions, 5);
	assert_true(strips.goal == strips_atoms(&strips, "happened f; done t1_2"));
	assert_plan("ac1_1 ac1_2 ac2_1 ac2_2");
}

/* A read that several writes can serve has an action for each, and one more at the goal. */
static void couplings(void **state)
{
	struct hd_step s[] = { { .kind = HD_STEP_WRITE, .thread = 0, .object = 0, .value = 0 },
			       { .kind = HD_STEP_WRITE, .thread = 0, .object = 0, .value = 1 },
			       { .kind = HD_STEP_READ, .thread = 1, .object = 0, .value = 0 } };
	struct hd_instance in = { .steps = s, .nsteps = 3, .nthreads = 2, .nlocations = 1 };
	struct hd_step_goal goal = { .order = { 2 }, .norder = 1 };

	write_and_parse(&in, &goal);
	assert_int_equal(strips.nactions, 5);
	assert_action("ac2_1-coupled_init", "not_executed t2_1; last_write x0_init",
		      "done t2_1; happened e1", "not_executed t2_1");
	assert_action("ac2_1-coupled_1_1", "not_executed t2_1; last_write x0_1_1",
		      "done t2_1; happened e1", "not_executed t2_1");
	assert_action("ac2_1-free", "not_executed t2_1", "happened e1", "not_executed t2_1");
}

static void locks(void **state)
{
	/* Thread 0 holds lock 0 at the start; threads 1 and 2 read-lock lock 1, 1 twice. */
	struct hd_step s[] = {
		{ .kind = HD_STEP_RELEASE, .thread = 0, .object = 0 },
		{ .kind = HD_STEP_ACQUIRE, .thread = 1, .object = 1, .shared = true },
		{ .kind = HD_STEP_ACQUIRE, .thread = 1, .object = 1, .shared = true },
		{ .kind = HD_STEP_RELEASE, .thread = 1, .object = 1, .shared = true },
		{ .kind = HD_STEP_RELEASE, .thread = 1, .object = 1, .shared = true },
		{ .kind = HD_STEP_RELEASE, .thread = 2, .object = 1, .shared = true },
		{ .kind = HD_STEP_ACQUIRE, .thread = 0, .object = 1 },
	};
	struct hd_instance in = { .steps = s, .nsteps = 7, .nthreads = 3, .nlocks = 2 };
	struct hd_step_goal goal = { .order = { 6 }, .norder = 1 };

	write_and_parse(&in, &goal);
	assert_action("ac1_1", "not_executed t1_1", "done t1_1; available l0", "not_executed t1_1");
	assert_action("ac1_2",
		      "done t1_1; not_executed t1_2; available l1; unread l1_t2; unread l1_t3",
		      "done t1_2; happened e1", "not_executed t1_2; available l1");
	assert_action("ac2_1", "not_executed t2_1; available l1", "done t2_1",
		      "not_executed t2_1; unread l1_t2");
	assert_action("ac2_2", "done t2_1; not_executed t2_2", "done t2_2", "not_executed t2_2");
	assert_action("ac2_3", "done t2_2; not_executed t2_3", "done t2_3", "not_executed t2_3");
	assert_action("ac2_4", "done t2_3; not_executed t2_4", "done t2_4; unread l1_t2",
		      "not_executed t2_4");
	assert_true((strips.init & strips_atoms(&strips, "available l0")) == 0);
	assert_true((strips.init & strips_atoms(&strips, "unread l1_t3")) == 0);
	assert_true((strips.init & strips_atoms(&strips, "available l1; unread l1_t2")) ==
		    strips_atoms(&strips, "available l1; unread l1_t2"));
	assert_plan("ac1_1 ac3_1 ac1_2");
}

static void forks_and_joins(void **state)
{
	struct hd_step s[] = { { .kind = HD_STEP_FORK, .thread = 0, .object = 1 },
			       { .kind = HD_STEP_BEGIN, .thread = 1 },
			       { .kind = HD_STEP_JOIN, .thread = 0, .object = 1 } };
	struct hd_instance in = { .steps = s, .nsteps = 3, .nthreads = 2 };

	write_and_parse(&in, &(struct hd_step_goal){ .order = { 2 }, .norder = 1 });
	assert_action("ac2_1", "done t1_1; not_executed t2_1", "done t2_1", "not_executed t2_1");
	assert_action("ac1_2", "done t1_1; not_executed t1_2; done t2_1", "done t1_2; happened e1",
		      "not_executed t1_2");
	/* A thread that is not there yet has no next step. */
	write_and_parse(&in, &(struct hd_step_goal){ .next = { 1 }, .nnext = 1 });
	assert_true(strips.goal == strips_atoms(&strips, "done t1_1; not_executed t2_1"));
	assert_plan("ac1_1");
	/* A thread of which nothing was recorded can be joined once it is there. */
	s[1] = (struct hd_step){ .kind = HD_STEP_JOIN, .thread = 1, .object = 2 };
	s[0].object = 2;
	in.nsteps = 2;
	in.nthreads = 3;
	write_and_parse(&in, &(struct hd_step_goal){ .order = { 1 }, .norder = 1 });
	assert_action("ac2_1", "not_executed t2_1; done t1_1", "done t2_1; happened e1",
		      "not_executed t2_1");
	assert_plan("ac1_1 ac2_1");
}

static void impossible_goals_are_refused(void **state)
{
	FILE *f = tmpfile();

	assert_non_null(f);
	assert_int_equal(hd_pddl_write(&example,
				       &(struct hd_step_goal){ .order = { 5 }, .norder = 1 }, f, f),
			 HD_ERR_INVALID);
	assert_int_equal(hd_pddl_write(&example, &(struct hd_step_goal){ 0 }, f, f),
			 HD_ERR_INVALID);
	assert_int_equal(hd_pddl_write(&example,
				       &(struct hd_step_goal){ .norder = 1, .open_end = true }, f,
				       f),
			 HD_ERR_INVALID);
	fclose(f);
	f = fopen("/dev/full", "w");
	assert_non_null(f);
	assert_int_equal(hd_pddl_write(&example, &example_goal, f, f), HD_ERR_IO);
	fclose(f);
}

/* The plan as Fast Downward writes it, read back and validated. */
static void check_plan(const struct hd_instance *in, const struct hd_step_goal *goal,
		       const struct strips_action **plan, int n)
{
	char text[STRIPS_PLAN * (STRIPS_WORD + 4) + 32] = "";
	struct hd_errbuf eb = { .text = "" };
	struct hd_planner_plan read;

	for (int i = 0; i < n; i++)
		strcat(strcat(strcat(text, "("), plan[i]->name), " )\n");
	strcat(text, "; cost = 1 (unit cost)\n");
	assert_int_equal(hd_planner_plan_read(in, goal, text, HD_PLANNER_FILE, &read, &eb), HD_OK);
	assert_int_equal(read.nactions, n);
	if (hd_validate(in, goal, read.steps, read.nsteps, &eb))
		fail_msg("%s\n%s", eb.text, text);
	hd_planner_plan_free(&read);
}

static void plans_where_there_are_runs(void **state)
{
	size_t decided[GOAL_LIMIT][2] = { 0 }, total = 0;
	struct hd_rng rng;

	hd_rng_seed(&rng, SEED);
	for (int i = 0; total < RANDOM_RUNS; i++) {
		struct random_shape shape = random_small_shape(&rng);
		enum goal_kind kind = (enum goal_kind)(i % GOAL_LIMIT);
		const struct strips_action *plan[STRIPS_PLAN];
		struct hd_instance in;
		struct hd_step_goal goal;

		assert_true(random_instance(&rng, &shape, &in));
		if (random_goal(&rng, &in, kind, &goal)) {
			bool expected = exhaustive_feasible(&in, &goal);
			int n;

			write_and_parse(&in, &goal);
			n = strips_plan(&strips, plan);
			if ((n >= 0) != expected)
				fail_msg("run %d, goal kind %d: exhaustive search says %d", i, kind,
					 expected);
			if (n >= 0)
				check_plan(&in, &goal, plan, n);
			decided[kind][expected]++;
			total++;
		}
		hd_instance_free(&in);
	}
	/* Not worth much unless every kind is met with both answers. */
	for (int kind = 0; kind < GOAL_LIMIT; kind++)
		for (int yes = 0; yes < 2; yes++)
			assert_true(decided[kind][yes] >= 25);
}

/* ---- plans -------------------------------------------------------------------------- */

static void assert_reads(const char *text, enum hd_planner_source source, size_t nactions)
{
	static const uint32_t schedule[] = { 0, 1, 3, 4 };
	struct hd_errbuf eb = { .text = "" };
	struct hd_planner_plan plan;

	if (hd_planner_plan_read(&example, &example_goal, text, source, &plan, &eb))
		fail_msg("%s: %s", text, eb.text);
	assert_int_equal(plan.nactions, nactions);
	assert_int_equal(plan.nsteps, nactions < 4 ? nactions : 4);
	assert_memory_equal(plan.steps, schedule, plan.nsteps * sizeof *schedule);
	hd_planner_plan_free(&plan);
}

static const char ff_output[] =
	"\nff: parsing domain file\ndomain 'PREDICTION' defined\n ... done.\n"
	"ff: found legal plan as follows\n\n"
	"step    0: AC1_1\n        1: AC1_2\n        2: AC2_1\n        3: AC2_2\n\n\n"
	"time spent:    0.00 seconds instantiating 5 easy, 0 hard action templates\n"
	"               0.00 seconds total time\n";

static void plans_of_all_formats(void **state)
{
	assert_reads(ff_output, HD_PLANNER_OUTPUT, 4);
	assert_reads("step 0: AC1_1\n 1: AC1_2\n 2: AC2_1\n 3: AC2_2\n", HD_PLANNER_FILE, 4);
	assert_reads("(ac1_1 )\n(ac1_2 )\n(ac2_1 )\n(ac2_2 )\n; cost = 4 (unit cost)\n",
		     HD_PLANNER_FILE, 4);
	assert_reads("[t=0.01s] Solution found!\nac1_1 (1)\nac1_2 (1)\nac2_1 (1)\nac2_2 (1)\n"
		     "[t=0.01s] Plan length: 4 step(s).\n",
		     HD_PLANNER_OUTPUT, 4);
	assert_reads("0.000: (ac1_1) [1.000]\n1.000: (ac1_2) [1.000]\n2.000: (ac2_1) [1.000]\n"
		     "3.000: (ac2_2) [1.000]\n",
		     HD_PLANNER_FILE, 4);
	assert_reads("Ac1_1\r\nAc1_2\r\nAc2_1\r\nAc2_2", HD_PLANNER_FILE, 4);
	assert_reads("Ac1_1 Ac1_2, Ac2_1, Ac2_2\n", HD_PLANNER_FILE, 4);
	assert_reads("((Ac1_1) (Ac1_2) (Ac2_1-coupled_1_2) (AC2_2-FREE))\n", HD_PLANNER_FILE, 4);
	/* What comes after the goal is not wanted. */
	assert_reads("(ac1_1)\n(ac1_2)\n(ac2_1)\n(ac2_2)\n(ac1_3)\n", HD_PLANNER_FILE, 5);
	/* Half a plan is read as what it is. */
	assert_reads("(ac1_1 )\n(ac1_2 )\n", HD_PLANNER_FILE, 2);
	assert_reads("", HD_PLANNER_FILE, 0);
	assert_reads("best first search space empty! problem proven unsolvable.\n",
		     HD_PLANNER_OUTPUT, 0);
}

static void assert_refuses(const char *text, enum hd_planner_source source, const char *why)
{
	struct hd_errbuf eb = { .text = "" };
	struct hd_planner_plan plan;

	assert_int_equal(hd_planner_plan_read(&example, &example_goal, text, source, &plan, &eb),
			 HD_ERR_PARSE);
	assert_string_equal(eb.text, why);
	assert_null(plan.steps);
}

static void garbage_is_refused(void **state)
{
	assert_refuses("(ac1_1 )\n(fly home)\n", HD_PLANNER_FILE,
		       "line 2 of the plan: \"fly\" is not an action");
	assert_refuses("(ac1_1 )\n(ac1_4 )\n", HD_PLANNER_FILE,
		       "line 2 of the plan: the run has no step ac1_4");
	assert_refuses("ac0_1\n", HD_PLANNER_FILE, "line 1 of the plan: the run has no step ac0_1");
	assert_refuses("ac3_1\n", HD_PLANNER_OUTPUT,
		       "line 1 of the plan: the run has no step ac3_1");
	assert_refuses("ac1_0\n", HD_PLANNER_FILE, "line 1 of the plan: the run has no step ac1_0");
	/* 2^32 + 1 is not 1 */
	assert_refuses("ac1_4294967297\n", HD_PLANNER_FILE,
		       "line 1 of the plan: the run has no step ac1_4294967297");
	assert_refuses("ac1_1x\n", HD_PLANNER_FILE,
		       "line 1 of the plan: \"ac1_1x\" is not an action");
	assert_refuses("ac1\n", HD_PLANNER_FILE, "line 1 of the plan: \"ac1\" is not an action");
	assert_refuses("\x01\xff\n", HD_PLANNER_FILE,
		       "line 1 of the plan: \"\?\?\" is not an action");
}

/* ---- the checker itself ------------------------------------------------------------- */

#define DOMAIN(actions)                                                                            \
	"(define (domain d) (:requirements :strips) (:constants a b) (:predicates (p ?x))" actions \
	")"
#define MOVE	"(:action m :parameters () :precondition (and (p a)) :effect (and (p b) (not (p a))))"
#define PROBLEM "(define (problem q) (:domain d) (:init (p a)) (:goal (and (p b))))"

static void the_checker_can_refuse(void **state)
{
	assert_null(strips_parse(&strips, DOMAIN(MOVE), PROBLEM));
	assert_plan("m");
	assert_null(strips_parse(&strips, DOMAIN(""), PROBLEM));
	assert_int_equal(strips_plan(&strips, NULL), -1);
	assert_non_null(strips_parse(&strips, DOMAIN(MOVE) ")", PROBLEM));
	assert_non_null(strips_parse(&strips, DOMAIN(MOVE MOVE), PROBLEM));
	assert_non_null(strips_parse(&strips,
				     DOMAIN("(:action m :parameters () :precondition (and (p a))"
					    " :effect (and (p c)))"),
				     PROBLEM));
	assert_non_null(strips_parse(&strips,
				     DOMAIN("(:action m :parameters () :precondition (and (q a))"
					    " :effect (and (p b)))"),
				     PROBLEM));
	assert_non_null(strips_parse(&strips, DOMAIN(MOVE), "(define (problem q) (:domain d)"));
	assert_non_null(strips_parse(&strips, DOMAIN(MOVE),
				     "(define (problem q) (:domain e) (:init (p a))"
				     " (:goal (and (p b))))"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_checker_can_refuse),
		cmocka_unit_test(example_of_the_paper),
		cmocka_unit_test(example_with_an_end),
		cmocka_unit_test(couplings),
		cmocka_unit_test(locks),
		cmocka_unit_test(forks_and_joins),
		cmocka_unit_test(impossible_goals_are_refused),
		cmocka_unit_test(plans_of_all_formats),
		cmocka_unit_test(garbage_is_refused),
		cmocka_unit_test(plans_where_there_are_runs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
