/*
 * heddle explore: every schedule that matters, one after the other.
 */
#include <stdlib.h>
#include <string.h>

#include "cli_options.h"
#include "explore/exploration.h"
#include "progress.h"

static int help(void)
{
	fputs("usage: heddle explore [options] [--] PROGRAM [ARGUMENTS]...\n\n"
	      "Runs a program built with `heddle cc` again and again, each time in another order of\n"
	      "its threads. It ends when every order that makes a difference was tried, when a fault\n"
	      "was found, or when a budget runs out. `complete` means: with this input, no schedule\n"
	      "has a fault, within the limits that its line and docs/reference/limits.md state.\n"
	      "--resume continues an exploration that a budget or Ctrl-C ended.\n\n"
	      "strategies:\n"
	      "  auto     regions for task programs that have regions or isolated blocks, otherwise dpor;\n"
	      "           if that takes long, in turns with preemptions where threads meet, bounded\n"
	      "           and pct\n"
	      "  dpor     one execution for every order of conflicting operations\n"
	      "  regions  task programs: choices only where permission regions and isolated blocks\n"
	      "           begin, and each state only once\n"
	      "  bounded  every choice with at most --preemptions switches away from a thread that\n"
	      "           could continue\n"
	      "  pct      executions by random priorities with --pct-depth minus one changes, until a\n"
	      "           budget runs out; says how likely a bug of that depth would have been found\n"
	      "  random   executions with random choices, until a budget runs out\n"
	      "  naive    every choice at every access: the baseline for the others\n",
	      stdout);
	hd_cli_options_help(HD_FOR_EXPLORE, stdout);
	fputs("\nExit status: 0 nothing found, 1 findings, 2 the command or the program was wrong,\n"
	      "3 heddle itself failed, 4 nothing found, but not everything was tried (no `complete`).\n\n"
	      "example:\n"
	      "  heddle cc -O2 queue.c -o queue && heddle explore --time 60 -- ./queue\n",
	      stdout);
	return HD_EXIT_CLEAN;
}

static unsigned number_of(const char *word, const char *const *words)
{
	unsigned i = 0;

	while (words[i] && strcmp(word, words[i]))
		i++;
	return i;
}

static int take_options(struct hd_explore_config *x, const struct hd_cli_options *o)
{
	static const char *const matches[] = { "no", "yes", "exact", NULL };
	static const char *const snapshots[] = { "no", "auto", "all", NULL };
	int rc = hd_cli_options_campaign(o, &x->campaign);

	x->strategy = number_of(o->value[HD_OPT_STRATEGY], hd_strategy_words);
	x->match = number_of(o->value[HD_OPT_MATCH], matches);
	x->snapshots = number_of(o->value[HD_OPT_SNAPSHOTS], snapshots);
	x->infer_regions = o->value[HD_OPT_INFER_REGIONS];
	x->commute = !strcmp(o->value[HD_OPT_COMMUTE], "yes");
	x->symmetry = !strcmp(o->value[HD_OPT_SYMMETRY], "yes");
	x->preemptions = (uint32_t)hd_cli_options_number(o, HD_OPT_PREEMPTIONS);
	x->executions = hd_cli_options_number(o, HD_OPT_EXECUTIONS);
	x->depth = (uint32_t)hd_cli_options_number(o, HD_OPT_DEPTH);
	x->spins = hd_cli_options_number(o, HD_OPT_SPINS);
	x->resume = o->value[HD_OPT_RESUME];
	x->observe = o->value[HD_OPT_OBSERVE];
	x->outcomes = o->value[HD_OPT_OUTCOMES] || x->observe;
	x->suggest_orders = o->value[HD_OPT_SUGGEST_ORDERS];
	if (rc == HD_GO_ON && x->suggest_orders && x->campaign.run.model != HD_MODEL_C11)
		rc = hd_usage("--suggest-orders needs --model c11");
	if (rc == HD_GO_ON && x->suggest_orders && x->campaign.parts)
		rc = hd_usage("--suggest-orders cannot be done in parts");
	if (rc == HD_GO_ON && x->outcomes && x->resume)
		rc = hd_usage("--outcomes cannot be continued with --resume");
	/* The default is for single runs: here executions show how long they are. */
	if (o->owned[HD_OPT_PCT_LENGTH])
		x->pct_length = hd_cli_options_number(o, HD_OPT_PCT_LENGTH);
	x->campaign.stalls = UINT64_MAX; /* time orders nothing */
	return rc;
}

static int explore(const struct hd_cli_options *o, char **argv)
{
	enum hd_status status = HD_STATUS_CLEAN;
	struct hd_explore_config config = { 0 };
	int rc = take_options(&config, o);

	return rc == HD_GO_ON ? hd_exit_with(hd_explore_program(&config, argv, &status), &status)
			      : rc;
}

int hd_cmd_explore(int argc, char **argv)
{
	struct hd_cli_options o;
	bool dashes = false;
	int next = 1;
	int rc = hd_cli_options_init(&o, HD_FOR_EXPLORE);

	if (rc == HD_GO_ON)
		rc = hd_cli_options_parse(&o, argc, argv, &next, &dashes);
	if (rc == HD_GO_ON && o.value[HD_OPT_HELP])
		rc = help();
	if (rc == HD_GO_ON && next == argc)
		rc = hd_usage("which program? `heddle explore [options] -- PROGRAM ...`");
	if (rc == HD_GO_ON)
		rc = explore(&o, argv + next);
	hd_cli_options_free(&o);
	return rc;
}
