/*
 * heddle check: observe a run, predict what could go wrong in others, run those.
 */
#include <stdlib.h>
#include <string.h>

#include "campaign/campaign.h"
#include "launch/launch.h"
#include "progress.h"
#include "launch/program_file.h"

static int help(void)
{
	fputs("usage: heddle check [options] [--] PROGRAM [ARGUMENTS]...\n\n"
	      "Runs a program built with `heddle cc`, looks for orders of its threads that could\n"
	      "break it, and runs it in these orders. What makes the program fail (crash, failed\n"
	      "assertion, deadlock, a worse exit status or other output than usual, --oracle) is reported\n"
	      "with the schedule that shows it, which has as few preemptions as possible.\n\n"
	      "verdicts:\n"
	      "  observed    seen in an ordinary run\n"
	      "  confirmed   predicted, run, and the program failed: a finding\n"
	      "  realised    predicted and run without visible failure: a finding only where a\n"
	      "              block or group was declared atomic, else listed with --all\n"
	      "  predicted   of parts of OpenMP's work that one thread did and several could: a finding\n"
	      "  infeasible  proved that no order of the observed events leads there (--all)\n"
	      "  unknown     neither proved nor reached (--all says why)\n\n"
	      "The program is run many times, with the same standard input each time (none, if that\n"
	      "is a terminal). What it writes is compared, not shown; files that it changes\n"
	      "are its own affair.\n",
	      stdout);
	hd_cli_options_help(HD_FOR_CHECK, stdout);
	fputs("\nThe first run that is observed lets each thread go on until it waits, unless --seed or\n"
	      "--policy is given; the further ones of --runs have seeds of their own. The command of\n"
	      "--oracle gets HEDDLE_EXIT or HEDDLE_SIGNAL, and files with the output in\n"
	      "HEDDLE_STDOUT and HEDDLE_STDERR.\n\n"
	      "Exit status: 0 nothing found, 1 findings, 2 the command or the program was wrong,\n"
	      "3 heddle itself failed, 4 nothing found, but not everything was tried (--time, Ctrl-C).\n\n"
	      "example:\n"
	      "  heddle cc -O2 bank.c -o bank && heddle check -- ./bank\n",
	      stdout);
	return HD_EXIT_CLEAN;
}

/* ---- the command -------------------------------------------------------------------------- */

static int check(struct hd_check *c, const struct hd_schedule *recorded)
{
	int rc = recorded ? hd_check_from_trace(c, recorded, c->options->value[HD_OPT_TRACE])
			  : hd_check_observe(c);

	/* Where runs have no end, there is nothing that is normal. */
	if (rc == HD_EXIT_CLEAN && !c->first_unfinished)
		rc = hd_check_normal(c);
	/* Without time to try anything there is no need to know what could be tried. */
	if (rc == HD_EXIT_CLEAN && !c->out_of_time && !c->interrupted && !c->out_of_memory)
		rc = hd_check_candidates(c);
	if (rc == HD_EXIT_CLEAN)
		rc = hd_check_sweep(c);
	if (rc == HD_EXIT_CLEAN)
		rc = hd_check_report(c);
	return rc;
}

static int run(struct hd_cli_options *o, int argc, char **argv,
	       const struct hd_schedule *recorded)
{
	struct hd_check *c = calloc(1, sizeof(*c));
	int rc;

	if (!c)
		return hd_die(HD_EXIT_FAILED, "out of memory");
	c->options = o;
	c->program.argv = argv;
	c->program.argc = argc;
	rc = hd_find_built_program(argv[0]);
	if (rc == HD_EXIT_CLEAN)
		rc = hd_check_set_up(c);
	if (rc == HD_EXIT_CLEAN) {
		rc = hd_program_input(&c->program);
		if (rc == HD_EXIT_CLEAN)
			rc = check(c, recorded);
		hd_progress_clear();
		rc = hd_outputs_close(&c->outputs, rc);
	}
	hd_check_tear_down(c);
	free(c);
	return rc;
}

static bool same_words(int argc, char **argv, const struct hd_schedule *s)
{
	bool same = argc == s->argc;

	for (int i = 1; same && i < argc; i++) /* it may have another path by now */
		same = !strcmp(argv[i], s->argv[i]);
	return same;
}

/* With --trace, options and perhaps the command line are those of the recorded run. */
static int run_recorded(struct hd_cli_options *o, int argc, char **argv)
{
	const char *path = o->value[HD_OPT_TRACE];
	struct hd_schedule s = { 0 };
	struct hd_errbuf eb = { 0 };
	int rc;

	if (hd_schedule_load(&s, path, &eb) != HD_OK)
		return hd_die(HD_EXIT_USAGE, "%s", eb.text);
	rc = hd_cli_options_from_schedule(o, &s, path);
	if (rc == HD_GO_ON && !o->value[HD_OPT_EXACT])
		rc = hd_die(HD_EXIT_USAGE, "'%s' does not have every read of the run: record it with "
			    "--record-exact", path);
	if (rc == HD_GO_ON && argc && !same_words(argc, argv, &s))
		rc = hd_die(HD_EXIT_USAGE, "'%s' is of a run with other arguments", path);
	if (rc == HD_GO_ON && s.start_time) {
		char number[24];

		snprintf(number, sizeof(number), "%llu", (unsigned long long)s.start_time);
		rc = hd_cli_options_set_key(o, "start-time", number, path);
	}
	if (rc == HD_GO_ON)
		rc = argc ? run(o, argc, argv, &s) : run(o, s.argc, s.argv, &s);
	hd_schedule_free(&s);
	return rc;
}

int hd_cmd_check(int argc, char **argv)
{
	struct hd_cli_options o;
	bool dashes = false;
	int next = 1;
	int rc = hd_cli_options_init(&o, HD_FOR_CHECK);

	if (rc == HD_GO_ON)
		rc = hd_cli_options_parse(&o, argc, argv, &next, &dashes);
	if (rc == HD_GO_ON && o.value[HD_OPT_HELP])
		rc = help();
	if (rc == HD_GO_ON && o.value[HD_OPT_TRACE])
		rc = run_recorded(&o, argc - next, argv + next);
	if (rc == HD_GO_ON && next == argc)
		rc = hd_die(HD_EXIT_USAGE, "which program? `heddle check [options] -- PROGRAM ...`");
	if (rc == HD_GO_ON)
		rc = run(&o, argc - next, argv + next, NULL);
	hd_cli_options_free(&o);
	return rc;
}
