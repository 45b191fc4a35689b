/*
 * heddle run: one controlled run and what it did.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "campaign/seeds.h"
#include "cli_options.h"
#include "findings/conclude.h"
#include "launch/program_file.h"
#include "launch/own_files.h"

static int help(void)
{
	fputs("usage: heddle run [options] [--] PROGRAM [ARGUMENTS]...\n\n"
	      "Runs a program built with `heddle cc` once, one thread at a time. Reports on standard\n"
	      "error: data races, deadlocks, livelocks, crashes, failed assertions, unexpected exit\n"
	      "statuses (--expect-exit), memory errors and misuse of the thread library. The program's\n"
	      "own input and output are not changed.\n\n"
	      "With --seeds, runs it once for each seed, and reports what any of the runs shows: up to the\n"
	      "first run with findings, or with --keep-going all. Each finding has a schedule.\n",
	      stdout);
	hd_cli_options_help(HD_FOR_RUN, stdout);
	fputs("\nHEDDLE_OPTIONS=\"seed=3:policy=rr\" sets the same; the command line wins.\n"
	      "Exit status: 0 nothing found, 1 findings, 2 the command or the program was wrong,\n"
	      "3 heddle itself failed, 4 nothing found, but the run was interrupted.\n\n"
	      "example:\n"
	      "  heddle cc -g bank.c -o bank && heddle run --seed 3 -- ./bank\n",
	      stdout);
	return HD_EXIT_CLEAN;
}

/* Options that ask for an analysis afterwards; functions are blocks if calls are recorded. */
static enum hd_err want_analyses(const struct hd_cli_options *o, struct hd_run_config *run,
				 struct hd_analyses **a)
{
	struct hd_analysis_config what;
	bool functions, steps;

	hd_cli_options_analysis(o, &what);
	functions = what.atomic || what.atomic_functions;
	steps = what.atomic_steps && what.tasks == HD_ALGORITHM_UNSAID;
	if (!functions && !steps && !o->value[HD_OPT_ANALYZE] && !what.groups)
		return HD_OK;
	run->calls |= functions;
	run->tasks = HD_ALGORITHM_UNSAID; /* they are looked at afterwards, not twice */
	return hd_analyses_new(a, &what, false);
}

/*
 * --parallel: another library, which chooses no schedule and records no trace. *@preload is NULL without
 * the option.
 */
static int want_workers(const struct hd_cli_options *o, struct hd_run_config *run,
			const char **preload)
{
	static const struct {
		int option;
		const char *name;
	} not_with[] = { { HD_OPT_RECORD, "record" },
			 { HD_OPT_ANALYZE, "analyze" },
			 { HD_OPT_ATOMIC, "atomic" },
			 { HD_OPT_GROUPS, "groups" },
			 { HD_OPT_ATOMIC_FUNCTIONS, "atomic-functions" } };
	static char path[PATH_MAX + 32];
	const char *lib = hd_path_libdir();

	*preload = NULL;
	if (!o->value[HD_OPT_PARALLEL])
		return run->tasks == HD_ALGORITHM_NONE
			       ? hd_usage("--algorithm none is for runs with --parallel")
			       : HD_EXIT_CLEAN;
	if (run->parallel < 1 || run->parallel > 1024)
		return hd_usage("--parallel takes a number of workers from 1 to 1024");
	for (size_t i = 0; i < sizeof(not_with) / sizeof(not_with[0]); i++) {
		if (o->value[not_with[i].option])
			return hd_usage(
				"--parallel and --%s exclude each other: a run on "
				"worker threads is checked while it runs and leaves no trace",
				not_with[i].name);
	}
	if (run->tasks == HD_ALGORITHM_UNSAID)
		run->tasks = HD_ALGORITHM_COMPLETE;
	snprintf(path, sizeof(path), "%s/libheddle-checked.so", lib ? lib : "");
	if (!lib || access(path, R_OK) != 0)
		return hd_failed("libheddle-checked.so is neither beside %s nor where it "
				 "would be installed",
				 hd_path_self());
	*preload = path;
	return HD_EXIT_CLEAN;
}

static int launch_and_conclude(struct hd_launch *l, struct hd_conclusion *c, struct hd_analyses *a)
{
	const struct hd_run_config *run = l->run;
	enum hd_status status = HD_STATUS_CLEAN;
	struct hd_outcome outcome;
	enum hd_err err;
	char origin[48];

	if (l->preload)
		snprintf(origin, sizeof(origin), "%llu workers", (unsigned long long)run->parallel);
	else
		snprintf(origin, sizeof(origin), "seed %llu", (unsigned long long)run->seed);
	c->origin = origin;
	c->analyses = a;
	l->whole = a != NULL;
	err = hd_launch(l, &outcome);
	if (!err)
		err = hd_conclude(c, &outcome, &status);
	return hd_exit_with(err, &status);
}

static int run(const struct hd_cli_options *o, char **argv)
{
	struct hd_run_config run;
	struct hd_launch l = { .argv = argv, .run = &run, .record = o->value[HD_OPT_RECORD] };
	struct hd_conclusion c = { .command = "run",
				   .record = l.record,
				   .schedule = l.record,
				   .quiet = o->value[HD_OPT_QUIET] };
	struct hd_analyses *a = NULL;
	struct hd_output_config config;
	struct hd_outputs outputs;
	char *replay;
	int rc = hd_exit_for(hd_find_built_program(argv[0]));

	hd_cli_options_run(o, &run);
	hd_cli_options_outputs(o, &config);
	if (rc == HD_EXIT_CLEAN)
		rc = want_workers(o, &run, &l.preload);
	if (rc == HD_EXIT_CLEAN && !l.preload)
		rc = hd_exit_for(want_analyses(o, &run, &a));
	if (rc == HD_EXIT_CLEAN)
		rc = hd_exit_for(hd_outputs_open(&outputs, &config));
	if (rc != HD_EXIT_CLEAN) {
		hd_analyses_free(a);
		return rc;
	}
	run.omp_tasks = !a;
	c.outputs = &outputs;
	c.parallel = l.preload;
	replay = hd_replay_command(l.record, &run, argv);
	c.replay = replay;
	rc = replay ? launch_and_conclude(&l, &c, a) : hd_failed("out of memory");
	free(replay);
	hd_analyses_free(a);
	return hd_close_outputs(&outputs, rc);
}

/* "A..B" */
static bool parse_seeds(const char *text, uint64_t *first, uint64_t *last)
{
	const char *dots = strstr(text, "..");
	char *begin = dots ? strndup(text, (size_t)(dots - text)) : NULL;
	bool ok = begin && hd_parse_number(begin, false, first) &&
		  hd_parse_number(dots + 2, false, last) && *first <= *last;

	free(begin);
	return ok;
}

/* What is said of one run only. */
static int check_seeds_options(const struct hd_cli_options *o)
{
	static const struct {
		int option;
		const char *name;
	} not_with[] = {
		{ HD_OPT_SEED, "seed" },	 { HD_OPT_RECORD, "record" },
		{ HD_OPT_ANALYZE, "analyze" },	 { HD_OPT_ATOMIC, "atomic" },
		{ HD_OPT_GROUPS, "groups" },	 { HD_OPT_ATOMIC_FUNCTIONS, "atomic-functions" },
		{ HD_OPT_PARALLEL, "parallel" }, { HD_OPT_ATOMIC_STEPS, "atomic-steps" },
		{ HD_OPT_CARRIERS, "carriers" }
	};

	for (size_t i = 0; i < sizeof(not_with) / sizeof(not_with[0]); i++) {
		if (o->owned[not_with[i].option])
			return hd_usage("--seeds and --%s exclude each other", not_with[i].name);
	}
	return HD_GO_ON;
}

static int check_single_options(const struct hd_cli_options *o)
{
	static const struct {
		int option;
		const char *name;
	} only_with[] = { { HD_OPT_JOBS, "jobs" },   { HD_OPT_RANKS, "ranks" },
			  { HD_OPT_PART, "part" },   { HD_OPT_OUTPUT, "output" },
			  { HD_OPT_STATE, "state" }, { HD_OPT_KEEP_GOING, "keep-going" },
			  { HD_OPT_MPI, "mpi" } };

	for (size_t i = 0; i < sizeof(only_with) / sizeof(only_with[0]); i++) {
		if (o->owned[only_with[i].option])
			return hd_usage("--%s is for many runs: --seeds A..B", only_with[i].name);
	}
	return HD_GO_ON;
}

static int run_seeds(const struct hd_cli_options *o, char **argv)
{
	struct hd_campaign_config config;
	enum hd_status status = HD_STATUS_CLEAN;
	uint64_t first, last;
	int rc;

	if (!parse_seeds(o->value[HD_OPT_SEEDS], &first, &last))
		return hd_usage("--seeds takes two numbers: A..B, from A to B");
	rc = check_seeds_options(o);
	if (rc == HD_GO_ON)
		rc = hd_cli_options_campaign(o, &config);
	if (rc != HD_GO_ON)
		return rc;
	config.stalls = UINT64_MAX;
	return hd_exit_with(hd_run_seeds(&config, argv, first, last, &status), &status);
}

int hd_cmd_run(int argc, char **argv)
{
	struct hd_cli_options o;
	bool dashes = false;
	int next = 1;
	int rc = hd_cli_options_init(&o, HD_FOR_RUN);

	if (rc == HD_GO_ON)
		rc = hd_cli_options_parse(&o, argc, argv, &next, &dashes);
	if (rc == HD_GO_ON && o.value[HD_OPT_HELP])
		rc = help();
	if (rc == HD_GO_ON && next == argc)
		rc = hd_usage("which program? `heddle run [options] -- PROGRAM ...`");
	if (rc == HD_GO_ON && o.value[HD_OPT_SEEDS])
		rc = run_seeds(&o, argv + next);
	if (rc == HD_GO_ON)
		rc = check_single_options(&o);
	if (rc == HD_GO_ON)
		rc = run(&o, argv + next);
	hd_cli_options_free(&o);
	return rc;
}
