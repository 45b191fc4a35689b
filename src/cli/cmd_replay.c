/*
 * heddle replay: the run that a schedule describes, once more; or the one that a plan describes,
 * for the first time.
 */
#include <stdlib.h>

#include "cli_options.h"
#include "findings/gdb_guide.h"
#include "findings/replay_run.h"
#include "launch/program_file.h"
#include "launch/own_files.h"

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

/* ---- in a debugger ------------------------------------------------------------------- */

static int become_gdb(const struct hd_launch *l, const char *guide, int argc)
{
	const char *script = hd_path_gdb(), *own = getenv("HEDDLE_GDB");
	char **words;
	int n = 0;

	if (!script)
		return hd_failed("the script for gdb is not where this command looks "
				 "for it: install heddle again");
	words = calloc((size_t)argc + 8, sizeof(*words));
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

static int replay_in_gdb(const struct hd_replay_config *config, const char *path, char **argv)
{
	struct hd_errbuf eb = { 0 };
	struct hd_replay r;
	struct hd_launch l;
	char *guide = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&guide, &len);
	int rc;

	if (!out)
		return hd_failed("out of memory");
	rc = hd_exit_for(hd_replay_load(&r, config, path, argv));
	if (rc == HD_EXIT_CLEAN)
		rc = hd_exit_for(hd_find_built_program(r.argv[0]));
	if (rc == HD_EXIT_CLEAN && !r.by_plan && hd_gdb_guide(path, out, &eb) != HD_OK)
		rc = hd_usage("%s", eb.text);
	if (fclose(out) != 0 && rc == HD_EXIT_CLEAN)
		rc = hd_failed("out of memory");
	if (rc == HD_EXIT_CLEAN) {
		l = hd_replay_launch(&r);
		rc = become_gdb(&l, guide, r.argc);
	}
	hd_replay_free(&r);
	free(guide);
	return rc;
}

/* ---- the command ---------------------------------------------------------------------- */

static void take_options(struct hd_replay_config *c, const struct hd_cli_options *o)
{
	*c = (struct hd_replay_config){
		.record = o->value[HD_OPT_RECORD],
		.save = o->value[HD_OPT_SAVE],
		.after = o->value[HD_OPT_AFTER],
		.force = o->value[HD_OPT_FORCE],
	};
	hd_cli_options_run(o, &c->run);
	if (o->value[HD_OPT_GDB])
		c->run.carriers = HD_CARRIERS_THREADS;
	hd_cli_options_outputs(o, &c->outputs);
}

int hd_cmd_replay(int argc, char **argv)
{
	enum hd_status status = HD_STATUS_CLEAN;
	struct hd_replay_config config;
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
		rc = hd_cli_options_check_trace(&o, path);
	if (rc == HD_GO_ON) {
		take_options(&config, &o);
		if (o.value[HD_OPT_GDB])
			rc = replay_in_gdb(&config, path, argv + next);
		else
			rc = hd_exit_with(hd_replay_schedule(&config, path, argv + next, &status),
					  &status);
	}
	hd_cli_options_free(&o);
	return rc;
}
