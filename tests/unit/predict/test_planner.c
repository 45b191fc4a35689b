/*
 * Somebody else's planner: this program itself with --plan, and shell commands that do what
 * planners do wrong.
 */
#include <dirent.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "predict/planner.h"
#include "predict/validate.h"
#include "strips.h"

/* Section 4.4 of the planning paper: the flag lets thread 1 write what thread 0 reads twice. */
static struct hd_step steps[] = {
	{ .kind = HD_STEP_READ, .thread = 0, .object = 0, .value = 0 },
	{ .kind = HD_STEP_WRITE, .thread = 0, .object = 1, .value = 1 },
	{ .kind = HD_STEP_READ, .thread = 0, .object = 0, .value = 0 },
	{ .kind = HD_STEP_READ, .thread = 1, .object = 1, .value = 1 },
	{ .kind = HD_STEP_WRITE, .thread = 1, .object = 0, .value = 7 },
};
static const struct hd_instance run = {
	.steps = steps, .nsteps = 5, .nthreads = 2, .nlocations = 2
};
static const struct hd_step_goal torn = { .order = { 0, 4, 2 }, .norder = 3 };
static const struct hd_step_goal impossible = { .order = { 4, 0 }, .norder = 2 };

static struct hd_solution solution;
static struct hd_errbuf eb;
static char folder[] = "/tmp/test_planner-XXXXXX";

static enum hd_err plan(const char *command, const struct hd_step_goal *goal, double seconds)
{
	struct hd_planner planner = { command, seconds, hd_validate };

	free(solution.steps);
	eb = (struct hd_errbuf){ .text = "" };
	return hd_planner_run(&planner, &run, goal, &solution, &eb);
}

/* Commands in these tests may leave out what they do not use. */
#define UNUSED_FILES ": {domain} {problem} {plan}; "

static void assert_found(const char *command)
{
	static const uint32_t expected[] = { 0, 1, 3, 4, 2 };

	if (plan(command, &torn, 0))
		fail_msg("%s: %s", command, eb.text);
	assert_int_equal(solution.answer, HD_FEASIBLE);
	assert_int_equal(solution.nsteps, 5);
	assert_memory_equal(solution.steps, expected, sizeof expected);
}

static void assert_undecided(const char *command, const struct hd_step_goal *goal, double seconds,
			     const char *why)
{
	if (plan(command, goal, seconds))
		fail_msg("%s: %s", command, eb.text);
	assert_int_equal(solution.answer, HD_UNDECIDED);
	assert_string_equal(solution.why, why);
	assert_null(solution.steps);
}

static void assert_fails(const char *command, enum hd_err err, const char *text)
{
	assert_int_equal(plan(command, &torn, 0), err);
	assert_int_equal(solution.answer, HD_UNDECIDED);
	assert_null(solution.steps);
	if (!strstr(eb.text, text))
		fail_msg("\"%s\" is not in \"%s\"", text, eb.text);
}

static void a_real_planner(void **state)
{
	char self[512], command[600];
	ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);

	assert_true(n > 0);
	self[n] = '\0';
	snprintf(command, sizeof command, "'%s' --plan {domain} {problem} {plan}", self);
	assert_found(command);
	assert_undecided(command, &impossible, 0, "the planner gave no plan");
	/* Paths may stand in quotes as well. */
	snprintf(command, sizeof command, "\"%s\" --plan \"{domain}\" '{problem}' \"{plan}\"",
		 self);
	assert_found(command);
	/* Without {plan}, what it prints is read. */
	snprintf(command, sizeof command, "'%s' --plan {domain} {problem} /dev/stdout", self);
	assert_found(command);
}

static void plans_in_a_file_or_printed(void **state)
{
	assert_found(UNUSED_FILES "printf '(ac1_1 )\\n(ac1_2 )\\n(ac2_1 )\\n(ac2_2 )\\n' > {plan}");
	assert_found(UNUSED_FILES
		     "echo noise; printf 'step 0: AC1_1\\n1: AC1_2\\n2: AC2_1\\n3: AC2_2\\n'");
	/* The status does not matter when there is a plan. */
	assert_found(UNUSED_FILES "echo Ac1_1 Ac1_2 Ac2_1 Ac2_2; exit 7");
	/* A planner that improves its plans numbers them: the last one is taken. */
	assert_found(UNUSED_FILES "echo ac2_2 > {plan}.1; echo Ac1_1 Ac1_2 Ac2_1 Ac2_2 > {plan}.2");
}

/* A goal that needs no plan: the next step of the run is the goal. */
static void an_empty_plan(void **state)
{
	static const struct hd_step_goal first = { .next = { 0 }, .nnext = 1 };

	assert_int_equal(plan(UNUSED_FILES ": > {plan}", &first, 0), HD_OK);
	assert_int_equal(solution.answer, HD_FEASIBLE);
	assert_int_equal(solution.nsteps, 0);
	assert_undecided(UNUSED_FILES ": > {plan}", &torn, 0, "the planner gave no plan");
}

static void no_plan_is_no_proof(void **state)
{
	assert_undecided(UNUSED_FILES "exit 0", &torn, 0, "the planner gave no plan");
	/* Fast Downward says with its status that it searched all, and FF with words. */
	assert_undecided(UNUSED_FILES "exit 12", &torn, 0, "the planner gave no plan");
	assert_undecided(UNUSED_FILES "echo 'problem proven unsolvable.'; exit 1", &torn, 0,
			 "the planner gave no plan");
}

static void wrong_plans_are_refused(void **state)
{
	/* The flag is not set when it is read. */
	assert_fails(UNUSED_FILES "echo Ac1_1 Ac2_1 Ac2_2", HD_ERR_INVALID,
		     "the planner's plan is wrong: ");
	/* Half a plan */
	assert_fails(UNUSED_FILES "echo Ac1_1 Ac1_2 > {plan}", HD_ERR_INVALID,
		     "the planner's plan is wrong: ");
	assert_fails(UNUSED_FILES "echo Ac1_1 Ac1_1", HD_ERR_INVALID,
		     "the planner's plan is wrong: ");
	assert_fails(UNUSED_FILES "echo '<html>' > {plan}", HD_ERR_PARSE,
		     "line 1 of the plan: \"<html>\" is not an action");
	assert_fails(UNUSED_FILES "echo Ac9_1", HD_ERR_PARSE, "the run has no step Ac9_1");
}

static void failures_are_told(void **state)
{
	assert_fails("/no/such/planner {domain} {problem} {plan}", HD_ERR_NOT_FOUND,
		     "the planner could not be run: ");
	assert_fails("/ {domain} {problem}", HD_ERR_NOT_FOUND, "the planner could not be run: ");
	assert_fails(UNUSED_FILES "echo first; echo parse error in line 3 >&2; exit 3", HD_ERR_IO,
		     "the planner failed with status 3: parse error in line 3");
	assert_fails(UNUSED_FILES "exit 1", HD_ERR_IO, "the planner failed with status 1");
	assert_fails(UNUSED_FILES "kill -SEGV $$", HD_ERR_IO,
		     "the planner was killed by signal 11 (");
	assert_fails("ff {problem}", HD_ERR_INVALID,
		     "does not say where {domain} goes: ff {problem}");
	assert_fails("ff {domain}", HD_ERR_INVALID,
		     "does not say where {problem} goes: ff {domain}");
	assert_int_equal(plan("true {domain} {problem}", &(struct hd_step_goal){ 0 }, 0),
			 HD_ERR_INVALID);
}

static void time_runs_out(void **state)
{
	assert_undecided(UNUSED_FILES "exec sleep 1000", &torn, 0.05, "the planner's time ran out");
	/* Half a plan, when the time is over, is no wrong plan. */
	assert_undecided(UNUSED_FILES "echo Ac1_1 > {plan}; exec sleep 1000", &torn, 0.1,
			 "the planner's time ran out");
}

/* What a planner leaves running is ended with it. */
static void nothing_runs_on(void **state)
{
	char command[256], path[128];
	int pid = 0, status;
	FILE *f;

	/* Orphans come to us, so that one can be waited for. */
	assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
	snprintf(path, sizeof path, "%s/pid", folder);
	snprintf(command, sizeof command, UNUSED_FILES "sleep 1000 & echo $! > %s", path);
	assert_undecided(command, &torn, 0, "the planner gave no plan");
	f = fopen(path, "r");
	assert_non_null(f);
	assert_int_equal(fscanf(f, "%d", &pid), 1);
	fclose(f);
	unlink(path);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

static size_t count_entries(const char *path)
{
	DIR *dir = opendir(path);
	size_t n = 0;

	assert_non_null(dir);
	while (readdir(dir))
		n++;
	closedir(dir);
	return n - 2; /* . and .. */
}

/* Everything above was done in this folder, whose name the shell would take for two words. */
static void nothing_is_left(void **state)
{
	assert_int_equal(count_entries(getenv("TMPDIR")), 0);
}

static int make_folder(void **state)
{
	char path[128];

	if (!mkdtemp(folder))
		return -1;
	snprintf(path, sizeof path, "%s/it's two words", folder);
	return mkdir(path, 0700) || setenv("TMPDIR", path, 1) ? -1 : 0;
}

static int remove_folder(void **state)
{
	free(solution.steps);
	rmdir(getenv("TMPDIR"));
	return rmdir(folder);
}

static void no_folder_to_work_in(void **state)
{
	char *was = strdup(getenv("TMPDIR"));

	setenv("TMPDIR", "/no/such/folder", 1);
	assert_fails(UNUSED_FILES "exit 0", HD_ERR_IO,
		     "no folder for the planner in /no/such/folder: ");
	setenv("TMPDIR", was, 1);
	free(was);
}

/* ---- the planner -------------------------------------------------------------------- */

static char *read_all(const char *path)
{
	FILE *f = fopen(path, "r");
	char *text = calloc(1, 1 << 16);

	if (f && text)
		text[fread(text, 1, (1 << 16) - 1, f)] = '\0';
	if (f)
		fclose(f);
	return text;
}

static int be_planner(const char *domain, const char *problem, const char *out)
{
	static struct strips strips;
	const struct strips_action *actions[STRIPS_PLAN];
	char *d = read_all(domain), *p = read_all(problem);
	const char *wrong = strips_parse(&strips, d, p);
	int n = wrong ? -1 : strips_plan(&strips, actions);
	FILE *f;

	free(d);
	free(p);
	if (wrong)
		fprintf(stderr, "%s\n", wrong);
	if (n < 0)
		return wrong ? 1 : 12;
	f = fopen(out, "w");
	for (int i = 0; f && i < n; i++)
		fprintf(f, "(%s )\n", actions[i]->name);
	return f && fclose(f) == 0 ? 0 : 1;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plans_in_a_file_or_printed),
		cmocka_unit_test(an_empty_plan),
		cmocka_unit_test(no_plan_is_no_proof),
		cmocka_unit_test(wrong_plans_are_refused),
		cmocka_unit_test(failures_are_told),
		cmocka_unit_test(time_runs_out),
		cmocka_unit_test(nothing_runs_on),
		cmocka_unit_test(no_folder_to_work_in),
		cmocka_unit_test(nothing_is_left),
	};
	const struct CMUnitTest in_a_plain_folder[] = { cmocka_unit_test(a_real_planner) };

	if (argc == 5 && strcmp(argv[1], "--plan") == 0)
		return be_planner(argv[2], argv[3], argv[4]);
	return cmocka_run_group_tests(in_a_plain_folder, NULL, NULL) +
	       cmocka_run_group_tests(tests, make_folder, remove_folder);
}
