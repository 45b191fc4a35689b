/*
 * heddle replay: the run that a schedule describes, once more; or the one that a plan describes,
 * for the first time.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli_options.h"
#include "findings/conclude.h"
#include "findings/gdb_guide.h"
#include "findings/plan_run.h"
#include "launch/program_file.h"
#include "launch/own_files.h"

/* What is followed. */
struct source {
	const struct hd_schedule *s;  /* the run: program, options; its choices if there is no plan */
	const struct hd_plan *plan;   /* NULL: a schedule */
	const char *build_id;         /* of the program then; NULL: unknown */
};

static int help(void)
{
	fputs("usage: heddle replay SCHEDULE [options] [-- PROGRAM [ARGUMENTS]...]\n\n"
	      "Runs a program again as it ran before. SCHEDULE is a trace that `heddle run\n"
	      "--record` wrote, or a schedule as text (--save). Without a program, the recorded\n"
	      "command line is used.\n\n"
	      "SCHEDULE may also be a plan: a run that was predicted and has not happened yet. The\n"
	      "program follows it event by event. The report says whether the plan's goal was\n"
	      "reached, or where and why the program left the plan.\n\n"
	      "--gdb starts gdb with the program stopped before the first access of the violation,\n"
	      "and with commands to go from switch to switch, forwards and backwards. HEDDLE_GDB\n"
	      "names another gdb.\n",
	      stdout);
	hd_cli_options_help(HD_FOR_REPLAY, stdout);
	fputs("\nExit status: 0 nothing found, 1 findings, 2 the command was wrong or the run\n"
	      "left the schedule or the plan, 3 heddle itself failed, 4 nothing found, but it was interrupted.\n\n"
	      "example:\n"
	      "  heddle replay heddle-bank/atomicity-cc60bfc3.htr -- ./bank\n",
	      stdout);
	return HD_EXIT_CLEAN;
}

static bool same_file(const char *a, const char *b)
{
	struct stat sa, sb;

	return stat(a, &sa) == 0 && stat(b, &sb) == 0 && sa.st_dev == sb.st_dev &&
	       sa.st_ino == sb.st_ino;
}

/* The build id of the program that the trace at @path was recorded from; NULL: unknown. */
static char *recorded_build_id(const char *path)
{
	struct hd_trace *trace;
	struct hd_plan head;
	char *id = NULL;

	if (hd_trace_open(&trace, path, NULL) != HD_OK)
		return NULL; /* a schedule as text has none */
	if (hd_plan_init(&head, trace, NULL) == HD_OK) {
		id = head.build_id;
		head.build_id = NULL;
		hd_plan_free(&head);
	}
	hd_trace_close(trace);
	return id;
}

/*
 * The trace gets the options of the recorded run, so that it comes out equal to
 * the first one; only the runtime is told that it follows a schedule.
 */
static enum hd_err take_options(struct hd_run_config *run, const struct hd_cli_options *o,
				const struct source *from, const char *path)
{
	enum hd_err err;

	hd_cli_options_run(o, run); /* --carriers */
	err = hd_run_config_from_schedule(run, from->s, path);
	if (from->s->start_time)
		run->start_time = from->s->start_time;
	if (o->value[HD_OPT_GDB])
		run->carriers = HD_CARRIERS_THREADS;
	run->after = o->value[HD_OPT_AFTER];
	if (from->plan && !run->after)
		run->after = from->plan->after;
	if (from->plan)
		hd_plan_options(run);
	return err;
}

/* ---- in a debugger ------------------------------------------------------------------- */

static void follow(struct hd_launch *l, const struct source *from)
{
	static const uint32_t none;

	l->follow = from->plan ? HD_POLICY_PLAN : HD_POLICY_REPLAY;
	if (from->plan) {
		l->plan = from->plan->entries;
		l->nplan = from->plan->n;
	} else {
		l->choices = from->s->nchoices ? from->s->choices : &none;
		l->nchoices = from->s->nchoices;
	}
}

static int become_gdb(struct hd_launch *l, const char *guide, int argc)
{
	const char *script = hd_path_gdb(), *own = getenv("HEDDLE_GDB");
	char **words = calloc((size_t)argc + 8, sizeof(*words));
	int n = 0;

	if (!script)
		return hd_failed("the script for gdb is not where this command looks "
			      "for it: install heddle again");
	if (!words)
		return hd_failed("out of memory");
	words[n++] = (char *)(own && *own ? own : "gdb");
	words[n++] = (char *)"-q";
	words[n++] = (char *)"-x";
	words[n++] = (char *)script;
	words[n++] = (char *)"--args";
	for (int i = 0; i < argc; i++)
		words[n++] = l->argv[i];
	n = hd_exit_for(hd_launch_debugger(l, words, guide));
	free(words);
	return n;
}

static int replay_in_gdb(const struct source *from, const char *path, const struct hd_run_config *run,
			 char **argv, int argc)
{
	struct hd_launch l = { .argv = argv, .run = run };
	struct hd_errbuf eb = { 0 };
	char *guide = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&guide, &len);
	int rc = hd_exit_for(hd_find_built_program(argv[0]));

	if (!out)
		return hd_failed("out of memory");
	if (rc == HD_EXIT_CLEAN && !from->plan && hd_gdb_guide(path, out, &eb) != HD_OK)
		rc = hd_usage("%s", eb.text);
	if (fclose(out) != 0 && rc == HD_EXIT_CLEAN)
		rc = hd_failed("out of memory");
	if (rc == HD_EXIT_CLEAN) {
		follow(&l, from);
		rc = become_gdb(&l, guide, argc);
	}
	free(guide);
	return rc;
}

/* ---- at once -------------------------------------------------------------------------- */

static int launch_and_conclude(const struct hd_cli_options *o, const struct source *from,
			       struct hd_launch *l, struct hd_conclusion *c)
{
	enum hd_status status = HD_STATUS_CLEAN;
	struct hd_output_config config;
	struct hd_outputs outputs;
	struct hd_outcome outcome;
	enum hd_err err = hd_find_built_program(l->argv[0]);

	hd_cli_options_outputs(o, &config);
	if (!err)
		err = hd_outputs_open(&outputs, &config);
	if (err)
		return hd_exit_for(err);
	c->outputs = &outputs;
	follow(l, from);
	err = hd_launch(l, &outcome);
	if (!err)
		err = hd_conclude(c, &outcome, &status);
	return hd_close_outputs(&outputs, hd_exit_with(err, &status));
}

static int replay(const struct hd_cli_options *o, const struct source *from, const struct hd_run_config *run,
		  const char *path, char **argv, int argc)
{
	const char *record = o->value[HD_OPT_RECORD];
	char *command = hd_replay_command(path, run, argv), *origin = NULL;
	struct hd_launch l = { .argv = argv, .run = run, .record = record };
	struct hd_conclusion c = { .command = "replay", .quiet = o->value[HD_OPT_QUIET], .record = record,
				   .schedule = path, .replay = command,
				   .build_id = from->build_id, .plan = from->plan };
	int rc;

	if (o->value[HD_OPT_GDB]) {
		rc = replay_in_gdb(from, path, run, argv, argc);
	} else if (!command || asprintf(&origin, "replayed from %s", path) < 0) {
		rc = hd_failed("out of memory");
	} else {
		c.origin = origin;
		rc = launch_and_conclude(o, from, &l, &c);
	}
	free(origin);
	free(command);
	return rc;
}

static int go_on(enum hd_err err)
{
	return err ? hd_exit_for(err) : HD_GO_ON;
}

/* With the options of the run that @from tells of. */
static int replay_from(struct hd_cli_options *o, const struct source *from, const char *path,
		       char **argv, int argc)
{
	const char *save = o->value[HD_OPT_SAVE];
	const struct hd_schedule *s = from->s;
	struct hd_errbuf eb = { 0 };
	struct hd_run_config run;
	int rc = HD_GO_ON;

	if (take_options(&run, o, from, path) != HD_OK)
		return hd_exit_for(HD_ERR_REQUEST);
	if (rc == HD_GO_ON && save && from->plan)
		rc = hd_usage("--save is for schedules; '%s' is a plan", path);
	if (rc == HD_GO_ON && save && hd_schedule_save(s, save, &eb) != HD_OK)
		rc = hd_usage("%s", eb.text);
	if (rc == HD_GO_ON && !argc && !s->argc)
		rc = hd_usage("'%s' does not say which program to run; add -- PROGRAM ...", path);
	if (rc == HD_GO_ON && !argc) {
		argv = s->argv;
		argc = s->argc;
	}
	if (rc == HD_GO_ON && from->plan && !o->value[HD_OPT_FORCE])
		rc = go_on(hd_plan_check_program(from->plan, path, argv, argc));
	return rc == HD_GO_ON ? replay(o, from, &run, path, argv, argc) : rc;
}

static int replay_schedule(struct hd_cli_options *o, const char *path, char **argv, int argc)
{
	struct hd_schedule s = { 0 };
	struct hd_errbuf eb = { 0 };
	char *build_id;
	int rc;

	if (o->value[HD_OPT_FORCE] || o->value[HD_OPT_AFTER])
		return hd_usage("--force and --after are for plans; '%s' is a schedule",
			      path);
	if (hd_schedule_load(&s, path, &eb) != HD_OK)
		return hd_usage("%s", eb.text);
	build_id = recorded_build_id(path);
	rc = replay_from(o, &(struct source){ .s = &s, .build_id = build_id }, path, argv, argc);
	free(build_id);
	hd_schedule_free(&s);
	return rc;
}

static int replay_plan(struct hd_cli_options *o, const char *path, char **argv, int argc)
{
	struct hd_errbuf eb = { 0 };
	struct hd_plan p;
	int rc;

	if (hd_plan_load(&p, path, &eb) != HD_OK)
		return hd_usage("%s", eb.text);
	rc = go_on(hd_plan_check_after(o->value[HD_OPT_AFTER]));
	if (rc == HD_GO_ON)
		rc = replay_from(o, &(struct source){ &p.run, &p, p.build_id }, path, argv, argc);
	hd_plan_free(&p);
	return rc;
}

static int load_and_replay(struct hd_cli_options *o, const char *path, char **argv, int argc)
{
	const char *save = o->value[HD_OPT_SAVE], *record = o->value[HD_OPT_RECORD];

	if ((record && same_file(record, path)) || (save && same_file(save, path)))
		return hd_usage("'%s' is the schedule itself and would be overwritten",
			      path);
	return hd_plan_is(path) ? replay_plan(o, path, argv, argc)
				: replay_schedule(o, path, argv, argc);
}

int hd_cmd_replay(int argc, char **argv)
{
	struct hd_cli_options o;
	const char *path = NULL;
	bool dashes = false;
	int next = 1;
	int rc = hd_cli_options_init(&o, HD_FOR_REPLAY);

	if (rc == HD_GO_ON)
		rc = hd_cli_options_parse(&o, argc, argv, &next, &dashes);
	if (rc == HD_GO_ON && !dashes && next < argc) {
		path = argv[next++];
		rc = hd_cli_options_parse(&o, argc, argv, &next, &dashes);
	}
	if (rc == HD_GO_ON && o.value[HD_OPT_HELP])
		rc = help();
	if (rc == HD_GO_ON && !path)
		rc = hd_usage("which schedule? `heddle replay SCHEDULE [-- PROGRAM ...]`");
	if (rc == HD_GO_ON)
		rc = load_and_replay(&o, path, argv + next, argc - next);
	hd_cli_options_free(&o);
	return rc;
}
