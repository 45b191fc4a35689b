/*
 * heddle predict: which other orders of a recorded run are possible.
 */
#include <stdlib.h>
#include <string.h>

#include "cli_options.h"
#include "findings/predict_run.h"

static int help(void)
{
	fputs("usage: heddle predict TRACE [options]\n\n"
	      "Reads a trace (recorded, imported, or a run as text). Its analyses find candidates:\n"
	      "three-access patterns, races, deadlocks. For each, the command decides whether another\n"
	      "order of the same events leads there, in which locks are respected and every read\n"
	      "sees the value that it saw:\n"
	      "  feasible    there is a schedule, shown in columns\n"
	      "  infeasible  proved: there is none\n"
	      "  unknown     the budget that is named ran out\n"
	      "Events have the numbers that `heddle trace dump` shows.\n",
	      stdout);
	hd_cli_options_help(HD_FOR_PREDICT, stdout);
	fputs("\nExit status: 0 nothing found, 1 findings (a race or deadlock that has a schedule, a\n"
	      "declared block or group that can be torn, a goal of --goal that can be reached), 2 the\n"
	      "command or its input was wrong, 3 heddle itself failed (also: the solvers disagree),\n"
	      "4 nothing found, but --time ran out.\n"
	      "\nexample:\n"
	      "  heddle run --record bank.htr --record-exact -- ./bank\n"
	      "  heddle predict bank.htr --plans plans\n",
	      stdout);
	return HD_EXIT_CLEAN;
}

static void take_options(struct hd_predict_config *c, const struct hd_cli_options *o)
{
	const char *solver = o->value[HD_OPT_SOLVER];

	*c = (struct hd_predict_config){
		.how = { .solver = !strcmp(solver, "sat")    ? HD_SOLVER_SAT
				   : !strcmp(solver, "both") ? HD_SOLVER_BOTH
							     : HD_SOLVER_SEARCH,
			 .states = hd_cli_options_number(o, HD_OPT_STATES),
			 .seconds = strtod(o->value[HD_OPT_BUDGET], NULL),
			 .bytes = hd_cli_options_number(o, HD_OPT_MEMORY),
			 .window = hd_cli_options_number(o, HD_OPT_WINDOW),
			 .relaxed = *o->value[HD_OPT_RELAXED] == '1',
			 .planner = o->value[HD_OPT_PLANNER] },
		.patterns = o->value[HD_OPT_PATTERN],
		.goals = o->value[HD_OPT_GOAL],
		.plans = o->value[HD_OPT_PLANS],
		.pddl = o->value[HD_OPT_PDDL],
		.nranks = hd_cli_options_ranks(o),
		.mpi = hd_cli_options_mpi(o),
		.state = o->value[HD_OPT_STATE],
	};
	hd_cli_options_analysis(o, &c->analysis);
	hd_cli_options_outputs(o, &c->outputs);
}

int hd_cmd_predict(int argc, char **argv)
{
	enum hd_status status = HD_STATUS_CLEAN;
	struct hd_predict_config config;
	struct hd_cli_options o;
	const char *path = NULL;
	int rc = hd_cli_options_init(&o, HD_FOR_PREDICT);

	if (rc == HD_GO_ON)
		rc = hd_cli_options_parse_trace(&o, argc, argv, &path);
	if (rc == HD_GO_ON && o.value[HD_OPT_HELP])
		rc = help();
	if (rc == HD_GO_ON && !path)
		rc = hd_usage("which trace? `heddle predict TRACE [options]`");
	if (rc == HD_GO_ON)
		rc = hd_cli_options_check_trace(&o, path);
	if (rc == HD_GO_ON) {
		take_options(&config, &o);
		rc = hd_exit_with(hd_predict_trace(&config, path, &status), &status);
	}
	hd_cli_options_free(&o);
	return rc;
}
