/*
 * heddle check: observe a run, predict what could go wrong in others, run those.
 */
#include <stdlib.h>
#include <string.h>

#include "check/check.h"
#include "cli_options.h"
#include "trace/run_config_text.h"

static int help(void)
{
	fputs("usage: heddle check [options] [--] PROGRAM [ARGUMENTS]...\n\n"
	      "Runs a program built with `heddle cc`, looks for orders of its threads that could\n"
	      "break it, and runs it in these orders. A run fails by a crash, a failed assertion, a\n"
	      "deadlock, a worse exit status or other output than usual, or by --oracle. The report\n"
	      "shows the failing schedule with as few preemptions as possible.\n\n"
	      "verdicts:\n"
	      "  observed    seen in an ordinary run: a finding\n"
	      "  confirmed   predicted, run, and the program failed: a finding\n"
	      "  realised    predicted and run without visible failure: a finding only where a\n"
	      "              block or group was declared atomic, otherwise listed with --all\n"
	      "  predicted   OpenMP: one thread did work that several threads could do: a finding\n"
	      "  infeasible  proved: no order of the observed events leads there (--all)\n"
	      "  unknown     neither proved nor reached (--all says why)\n"
	      "With --goal only the goals of the file are tried. One that a run reached is a finding:\n"
	      "confirmed if the program failed in that run, else realised. A note names each other one.\n\n"
	      "The program runs many times, with the same standard input each time (none, if that is\n"
	      "a terminal). Its output is compared, not shown. Files that it changes are restored\n"
	      "after each run, except for those that docs/reference/limits.md lists.\n",
	      stdout);
	hd_cli_options_help(HD_FOR_CHECK, stdout);
	fputs("\nIn the first observed run each thread runs until it waits, unless --seed or --policy is\n"
	      "given; --runs gives every further run its own seed. The command of --oracle gets\n"
	      "HEDDLE_EXIT or HEDDLE_SIGNAL, and the output in the files HEDDLE_STDOUT and\n"
	      "HEDDLE_STDERR.\n\n"
	      "Exit status: 0 nothing found, 1 findings, 2 the command or the program was wrong,\n"
	      "3 heddle itself failed, 4 nothing found, but not everything was tried (--time, Ctrl-C,\n"
	      "--part).\n\n"
	      "example:\n"
	      "  heddle cc -O2 bank.c -o bank && heddle check -- ./bank\n",
	      stdout);
	return HD_EXIT_CLEAN;
}

static int run(const struct hd_campaign_config *config, char **argv, const struct hd_recorded *from)
{
	enum hd_status status = HD_STATUS_CLEAN;

	return hd_exit_with(hd_check_program(config, argv, from, &status), &status);
}

static bool same_words(int argc, char **argv, const struct hd_schedule *s)
{
	bool same = argc == s->argc;

	for (int i = 1; same && i < argc; i++) /* it may have another path by now */
		same = !strcmp(argv[i], s->argv[i]);
	return same;
}

/* With --trace, options and perhaps the command line are those of the recorded run. */
static int run_recorded(struct hd_campaign_config *config, const char *path, int argc, char **argv)
{
	struct hd_schedule s = { 0 };
	struct hd_errbuf eb = { 0 };
	const struct hd_recorded from = { path, &s };
	int rc = HD_GO_ON;

	if (hd_schedule_load(&s, path, &eb) != HD_OK)
		return hd_usage("%s", eb.text);
	if (hd_run_config_from_schedule(&config->run, &s, path) != HD_OK)
		rc = hd_exit_for(HD_ERR_REQUEST);
	else if (!config->run.exact)
		rc = hd_usage(
			"'%s' does not contain every read of the run: record it with --record-exact",
			path);
	else if (argc && !same_words(argc, argv, &s))
		rc = hd_usage("'%s' was recorded with other arguments", path);
	config->chosen |= rc == HD_GO_ON;
	if (s.start_time)
		config->run.start_time = s.start_time;
	if (rc == HD_GO_ON)
		rc = run(config, argc ? argv : s.argv, &from);
	hd_schedule_free(&s);
	return rc;
}

int hd_cmd_check(int argc, char **argv)
{
	struct hd_campaign_config config;
	struct hd_cli_options o;
	bool dashes = false;
	int next = 1;
	int rc = hd_cli_options_init(&o, HD_FOR_CHECK);

	if (rc == HD_GO_ON)
		rc = hd_cli_options_parse(&o, argc, argv, &next, &dashes);
	if (rc == HD_GO_ON && o.value[HD_OPT_HELP])
		rc = help();
	if (rc == HD_GO_ON)
		rc = hd_cli_options_campaign(&o, &config);
	if (rc == HD_GO_ON && config.parts && config.goals)
		rc = hd_usage("goals cannot be tried in parts");
	if (rc == HD_GO_ON && o.value[HD_OPT_TRACE])
		rc = run_recorded(&config, o.value[HD_OPT_TRACE], argc - next, argv + next);
	if (rc == HD_GO_ON && next == argc)
		rc = hd_usage("which program? `heddle check [options] -- PROGRAM ...`");
	if (rc == HD_GO_ON)
		rc = run(&config, argv + next, NULL);
	hd_cli_options_free(&o);
	return rc;
}
