#include "analyse_run.h"

#include "analyses.h"
#include "common/clock.h"
#include "outputs.h"

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

static enum hd_err report(struct hd_outputs *outputs, const struct hd_analyses *a,
			  struct hd_run *run, double seconds, bool stats, enum hd_status *status)
{
	FILE *text = outputs->config->text;
	struct hd_report_info info = {
		.command = "analyze",
		.seconds = seconds,
		.analysis = true,
		.quiet = outputs->config->quiet || run->damage[0],
		.notes = hd_analyses_notes(a),
	};
	enum hd_err err = hd_outputs_write(outputs, run, &info, status);

	if (stats && text)
		put_stats(text, a, run, seconds);
	return err ? err : hd_outputs_check(outputs, run, *status);
}

static enum hd_err analyse(struct hd_outputs *outputs, struct hd_analyses *a, bool stats,
			   const char *path, enum hd_status *status)
{
	double began = hd_now();
	struct hd_errbuf eb = { 0 };
	struct hd_trace *trace;
	struct hd_run run;
	enum hd_err err;

	if (hd_trace_open(&trace, path, &eb) != HD_OK)
		return hd_error(HD_ERR_REQUEST, "%s", eb.text);
	err = hd_analyses_run(a, &run, trace, &eb);
	if (err)
		err = hd_error(err == HD_ERR_NOMEM ? err : HD_ERR_REQUEST, "%s", eb.text);
	else
		err = report(outputs, a, &run, hd_now() - began, stats, status);
	hd_run_free(&run);
	hd_trace_close(trace);
	return err;
}

enum hd_err hd_analyse_trace(const struct hd_analysis_config *what,
			     const struct hd_output_config *config, bool stats, const char *path,
			     enum hd_status *status)
{
	struct hd_analyses *a = NULL;
	struct hd_outputs outputs;
	enum hd_err err = hd_analyses_new(&a, what, true);

	if (!err)
		err = hd_outputs_open(&outputs, config);
	if (!err)
		err = hd_outputs_close(&outputs, analyse(&outputs, a, stats, path, status));
	hd_analyses_free(a);
	return err;
}
