/*
 * heddle analyze: what a recorded run shows, and what it hints at.
 */
#include <stdlib.h>
#include <string.h>

#include "cli_options.h"
#include "findings/analyses.h"
#include "common/clock.h"
#include "findings/outputs.h"

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

static void put_task_stats(FILE *out, const struct hd_task_stats *s)
{
	fprintf(out,
		"stats: tasks %llu, steps %llu, tree nodes %llu of %llu bytes, locations %llu, %.1f bytes each\n",
		(unsigned long long)s->tasks, (unsigned long long)s->steps,
		(unsigned long long)s->nodes, (unsigned long long)s->node_bytes,
		(unsigned long long)s->locations,
		s->locations ? (double)s->location_bytes / (double)s->locations : 0.0);
	fprintf(out,
		"stats: LCA queries %llu, %.1f %% of them unique; lock questions %llu, grids %llu; order "
		"beside the tree %llu, of this run only %llu\n",
		(unsigned long long)s->queries,
		s->queries ? 100.0 * (double)s->walks / (double)s->queries : 0.0,
		(unsigned long long)s->lock_questions, (unsigned long long)s->lock_grids,
		(unsigned long long)s->ordered, (unsigned long long)s->borrowed);
}

static void put_stats(FILE *out, const struct hd_analyses *a, const struct hd_run *run,
		      double seconds)
{
	const struct hd_analyses_stats *s = hd_analyses_stats(a);

	fprintf(out, "stats: %llu events, %zu threads, %.3f s\n", (unsigned long long)run->events,
		run->nthreads, seconds);
	for (int i = 0; i < HD_DO_COUNT; i++) {
		if (s->seconds[i] > 0)
			fprintf(out, "stats: %s %.3f s, %.1f million events/s\n",
				hd_analysis_word(i), s->seconds[i],
				(double)s->events / s->seconds[i] / 1e6);
	}
	if (s->has_tasks)
		put_task_stats(out, &s->tasks);
}

static int report(struct hd_outputs *outputs, struct hd_analyses *a, struct hd_run *run,
		  double seconds, bool stats)
{
	FILE *text = outputs->config->text;
	struct hd_report_info info = {
		.command = "analyze", .seconds = seconds, .analysis = true,
		.quiet = outputs->config->quiet || run->damage[0],
		.notes = hd_analyses_notes(a),
	};
	enum hd_status status = HD_STATUS_CLEAN;
	enum hd_err err = hd_outputs_write(outputs, run, &info, &status);
	int rc = hd_exit_with(err, &status);

	if (stats)
		put_stats(text, a, run, seconds);
	if (rc == HD_EXIT_CLEAN && fflush(text) != 0)
		rc = hd_failed("the report could not be written");
	/* Of a trace that breaks off, nobody can say that it has no findings. */
	if (rc == HD_EXIT_CLEAN && run->damage[0])
		rc = hd_usage("%s", run->damage);
	return rc;
}

static int analyse(struct hd_outputs *outputs, struct hd_analyses *a, const char *path, bool stats)
{
	double began = hd_now();
	struct hd_errbuf eb = { 0 };
	struct hd_trace *trace;
	struct hd_run run;
	enum hd_err err;
	int rc;

	if (hd_trace_open(&trace, path, &eb) != HD_OK)
		return hd_usage("%s", eb.text);
	err = hd_analyses_run(a, &run, trace, &eb);
	if (err)
		rc = hd_complain(err == HD_ERR_NOMEM ? HD_EXIT_FAILED : HD_EXIT_USAGE, "%s", eb.text);
	else
		rc = report(outputs, a, &run, hd_now() - began, stats);
	hd_run_free(&run);
	hd_trace_close(trace);
	return rc;
}

int hd_cmd_analyze(int argc, char **argv)
{
	struct hd_analyses *a = NULL;
	struct hd_cli_options o;
	struct hd_outputs outputs;
	const char *path = NULL;
	int rc = hd_cli_options_init(&o, HD_FOR_ANALYZE);

	if (rc == HD_GO_ON)
		rc = hd_cli_options_parse_trace(&o, argc, argv, &path);
	if (rc == HD_GO_ON && o.value[HD_OPT_HELP])
		rc = help();
	if (rc == HD_GO_ON && !path)
		rc = hd_usage("which trace? `heddle analyze TRACE [options]`");
	if (rc == HD_GO_ON) {
		struct hd_analysis_config what;
		struct hd_output_config config;

		hd_cli_options_analysis(&o, &what);
		hd_cli_options_outputs(&o, &config);
		rc = hd_exit_for(hd_analyses_new(&a, &what, true));
		if (rc == HD_EXIT_CLEAN)
			rc = hd_exit_for(hd_outputs_open(&outputs, &config));
		if (rc == HD_EXIT_CLEAN)
			rc = hd_close_outputs(&outputs,
					      analyse(&outputs, a, path, o.value[HD_OPT_STATS]));
		hd_analyses_free(a);
	}
	hd_cli_options_free(&o);
	return rc;
}
