/*
 * heddle run: one controlled run and what it did.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "findings/conclude.h"
#include "launch/program_file.h"
#include "launch/own_files.h"

static int help(void)
{
	fputs("usage: heddle run [options] [--] PROGRAM [ARGUMENTS]...\n\n"
	      "Runs a program built with `heddle cc` once, one thread at a time, and reports data\n"
	      "races, deadlocks, livelocks, crashes, failed assertions, an exit status that is not 0\n"
	      "(--expect-exit), wrong uses of the heap and misuse of the thread library on standard error.\n"
	      "The program's own input and output are left alone.\n",
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

/* The lines for the runtime; NULL: no memory. */
static char *make_config(const struct hd_cli_options *o, bool analyses)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	if (!out)
		return NULL;
	fprintf(out, "policy=%s\n", o->value[HD_OPT_POLICY]);
	hd_cli_options_config(o, out);
	fprintf(out, "carriers=%s\n", o->value[HD_OPT_CARRIERS]);
	fprintf(out, "omp-tasks=%d\n", !analyses);
	if (fclose(out) == 0)
		return text;
	free(text);
	return NULL;
}

/* Options that ask for an analysis afterwards; functions are blocks if calls are recorded. */
static int want_analyses(struct hd_cli_options *o, struct hd_analyses **a)
{
	bool functions = o->value[HD_OPT_ATOMIC] || o->value[HD_OPT_ATOMIC_FUNCTIONS];
	bool steps = o->value[HD_OPT_ATOMIC_STEPS] && !o->value[HD_OPT_ALGORITHM];
	int rc;

	if (!functions && !steps && !o->value[HD_OPT_ANALYZE] && !o->value[HD_OPT_GROUPS])
		return HD_EXIT_CLEAN;
	if (functions && hd_cli_options_set_key(o, "calls", "1", "--atomic") != HD_GO_ON)
		return HD_EXIT_FAILED;
	rc = hd_analyses_new(a, o, false);
	o->value[HD_OPT_ALGORITHM] = NULL; /* tasks are looked at afterwards, not twice */
	return rc;
}

/*
 * --parallel: another library, which chooses no schedule and records no trace. *@preload is NULL without
 * the option.
 */
static int want_workers(struct hd_cli_options *o, const char **preload)
{
	static const struct {
		int option;
		const char *name;
	} not_with[] = { { HD_OPT_RECORD, "record" }, { HD_OPT_ANALYZE, "analyze" },
			 { HD_OPT_ATOMIC, "atomic" }, { HD_OPT_GROUPS, "groups" },
			 { HD_OPT_ATOMIC_FUNCTIONS, "atomic-functions" } };
	static char path[PATH_MAX + 32];
	const char *n = o->value[HD_OPT_PARALLEL], *lib = hd_path_libdir();

	*preload = NULL;
	if (!n)
		return o->value[HD_OPT_ALGORITHM] && !strcmp(o->value[HD_OPT_ALGORITHM], "none")
			       ? hd_die(HD_EXIT_USAGE, "--algorithm none is for runs with --parallel")
			       : HD_EXIT_CLEAN;
	if (atol(n) < 1 || atol(n) > 1024)
		return hd_die(HD_EXIT_USAGE, "--parallel takes a number of workers from 1 to 1024");
	for (size_t i = 0; i < sizeof(not_with) / sizeof(not_with[0]); i++) {
		if (o->value[not_with[i].option])
			return hd_die(HD_EXIT_USAGE, "--parallel and --%s exclude each other: a run on "
				      "worker threads is checked while it goes on and leaves no trace",
				      not_with[i].name);
	}
	if (!o->value[HD_OPT_ALGORITHM])
		o->value[HD_OPT_ALGORITHM] = "complete";
	snprintf(path, sizeof(path), "%s/libheddle-checked.so", lib ? lib : "");
	if (!lib || access(path, R_OK) != 0)
		return hd_die(HD_EXIT_FAILED, "libheddle-checked.so is neither beside %s nor where it "
			      "would be installed", hd_path_self());
	*preload = path;
	return HD_EXIT_CLEAN;
}

static int run(struct hd_cli_options *o, int argc, char **argv)
{
	struct hd_launch l = { .argv = argv, .record = o->value[HD_OPT_RECORD] };
	struct hd_conclusion c = { .command = "run", .options = o, .record = l.record,
				   .schedule = l.record };
	struct hd_outputs outputs;
	struct hd_outcome outcome;
	char origin[48], *config, *replay;
	int rc = hd_find_built_program(argv[0]);

	if (rc == HD_EXIT_CLEAN)
		rc = want_workers(o, &l.preload);
	if (rc == HD_EXIT_CLEAN && !l.preload)
		rc = want_analyses(o, &c.analyses);
	if (rc == HD_EXIT_CLEAN)
		rc = hd_outputs_open(&outputs, o);
	if (rc != HD_EXIT_CLEAN) {
		hd_analyses_free(c.analyses);
		return rc;
	}
	c.outputs = &outputs;
	l.whole = c.analyses != NULL;
	config = make_config(o, c.analyses != NULL);
	replay = hd_replay_command(l.record, o, argv);
	if (!config || !replay) {
		rc = hd_die(HD_EXIT_FAILED, "out of memory");
		goto out;
	}
	l.config = config;
	l.meta.argc = argc;
	l.meta.argv = (const char *const *)argv;
	hd_cli_options_meta(o, &l.meta);
	rc = hd_launch(&l, &outcome);
	if (rc == HD_EXIT_CLEAN) {
		if (l.preload)
			snprintf(origin, sizeof(origin), "%s workers", o->value[HD_OPT_PARALLEL]);
		else
			snprintf(origin, sizeof(origin), "seed %s", o->value[HD_OPT_SEED]);
		c.origin = origin;
		c.replay = replay;
		rc = hd_conclude(&c, &outcome);
	}
out:
	free(config);
	free(replay);
	hd_analyses_free(c.analyses);
	return hd_outputs_close(&outputs, rc);
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
		rc = hd_die(HD_EXIT_USAGE, "which program? `heddle run [options] -- PROGRAM ...`");
	if (rc == HD_GO_ON)
		rc = run(&o, argc - next, argv + next);
	hd_cli_options_free(&o);
	return rc;
}
