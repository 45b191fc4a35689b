/*
 * heddle analyze: what a recorded run shows, and what it hints at.
 */
#include "cli_options.h"
#include "findings/analyse_run.h"

static int help(void)
{
	fputs("usage: heddle analyze TRACE [options]\n\n"
	      "Reads a trace of `heddle run --record` or `heddle trace import`. Reports data races,\n"
	      "torn atomic blocks, and what the run itself found. What is only possible (races by\n"
	      "locksets, three-access patterns, lock cycles) is a candidate: it is counted, listed\n"
	      "with --all, and does not lead to status 1.\n",
	      stdout);
	hd_cli_options_help(HD_FOR_ANALYZE, stdout);
	fputs("\nExit status: 0 nothing found, 1 findings, 2 the command or the trace was wrong,\n"
	      "3 heddle itself failed.\n\n"
	      "example:\n"
	      "  heddle run --record bank.htr -- ./bank\n"
	      "  heddle analyze bank.htr --all\n",
	      stdout);
	return HD_EXIT_CLEAN;
}

int hd_cmd_analyze(int argc, char **argv)
{
	enum hd_status status = HD_STATUS_CLEAN;
	struct hd_analysis_config what;
	struct hd_output_config outputs;
	struct hd_cli_options o;
	const char *path = NULL;
	int rc = hd_cli_options_init(&o, HD_FOR_ANALYZE);

	if (rc == HD_GO_ON)
		rc = hd_cli_options_parse_trace(&o, argc, argv, &path);
	if (rc == HD_GO_ON && o.value[HD_OPT_HELP])
		rc = help();
	if (rc == HD_GO_ON && !path)
		rc = hd_usage("which trace? `heddle analyze TRACE [options]`");
	if (rc == HD_GO_ON)
		rc = hd_cli_options_check_trace(&o, path);
	if (rc == HD_GO_ON) {
		hd_cli_options_analysis(&o, &what);
		hd_cli_options_outputs(&o, &outputs);
		rc = hd_exit_with(
			hd_analyse_trace(&what, &outputs, o.value[HD_OPT_STATS], path, &status),
			&status);
	}
	hd_cli_options_free(&o);
	return rc;
}
