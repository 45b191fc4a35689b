/*
 * The door: the public functions of heddle/engine.h over what does the work.
 */
#include "heddle/engine.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "campaign/pool.h"
#include "check/check.h"
#include "result.h"
#include "explore/exploration.h"
#include "findings/conclude.h"
#include "findings/predict_run.h"
#include "launch/program_file.h"
#include "trace/run_config_text.h"

/* ---- configurations ----------------------------------------------------------------- */

#define STALLS 100000000u /* 100 ms: a loaded machine does that to a thread */

void hd_check_config_init(struct hd_campaign_config *config)
{
	*config = (struct hd_campaign_config){ .jobs = 1, .runs = 1, .stalls = STALLS };
	hd_run_config_init(&config->run);
}

void hd_explore_config_init(struct hd_explore_config *config)
{
	*config = (struct hd_explore_config){ .match = HD_MATCH_YES, .snapshots = HD_SNAP_AUTO,
					      .preemptions = 2, .depth = 10000, .spins = 100 };
	hd_check_config_init(&config->campaign);
	config->campaign.jobs = 0;
	config->campaign.stalls = UINT64_MAX; /* time orders nothing */
}

void hd_predict_config_init(struct hd_predict_config *config)
{
	*config = (struct hd_predict_config){
		.how = { .states = 1000000, .seconds = 10, .relaxed = true },
	};
}

void hd_interrupt(void)
{
	hd_interrupts_raise();
}

/* ---- doing it ----------------------------------------------------------------------- */

/* From what a function below did to what its caller gets. */
static enum hd_err give(enum hd_err err, enum hd_status status, char *document, struct hd_result **result,
			struct hd_errbuf *error)
{
	hd_interrupts_forget(); /* the next one is another matter */
	*result = NULL;
	if (!err && document)
		err = hd_result_new(result, status, document);
	else
		free(document);
	if (!err && !*result)
		err = hd_error(HD_ERR_STOPPED, "it was stopped before there was anything to tell");
	if (err && error)
		*error = *hd_last_error();
	return err;
}

static enum hd_err no_program(struct hd_result **result, struct hd_errbuf *error)
{
	return give(hd_error(HD_ERR_REQUEST, "which program?"), HD_STATUS_CLEAN, NULL, result, error);
}

enum hd_err hd_check_run(const struct hd_campaign_config *config, char *const argv[],
			 struct hd_result **result, struct hd_errbuf *error)
{
	struct hd_campaign_config own = *config;
	enum hd_status status = HD_STATUS_CLEAN;
	char *document = NULL;
	enum hd_err err;

	if (!argv || !argv[0])
		return no_program(result, error);
	own.outputs.document = &document;
	err = hd_check_program(&own, (char **)argv, NULL, &status);
	return give(err, status, document, result, error);
}

enum hd_err hd_explore_run(const struct hd_explore_config *config, char *const argv[],
			   struct hd_result **result, struct hd_errbuf *error)
{
	struct hd_explore_config own = *config;
	enum hd_status status = HD_STATUS_CLEAN;
	char *document = NULL;
	enum hd_err err;

	if (!argv || !argv[0])
		return no_program(result, error);
	own.campaign.outputs.document = &document;
	err = hd_explore_program(&own, (char **)argv, &status);
	return give(err, status, document, result, error);
}

enum hd_err hd_predict_run(const struct hd_predict_config *config, const char *trace,
			   struct hd_result **result, struct hd_errbuf *error)
{
	struct hd_predict_config own = *config;
	enum hd_status status = HD_STATUS_CLEAN;
	char *document = NULL;
	enum hd_err err;

	own.outputs.document = &document;
	err = hd_predict_trace(&own, trace, &status);
	return give(err, status, document, result, error);
}

static enum hd_err replay(const struct hd_output_config *outputs, const struct hd_schedule *s,
			  const char *path, char **argv, enum hd_status *status)
{
	static const uint32_t none;
	struct hd_run_config run;
	struct hd_launch l = { .argv = argv, .run = &run, .follow = HD_POLICY_REPLAY,
			       .choices = s->nchoices ? s->choices : &none, .nchoices = s->nchoices };
	char *command = hd_replay_command(path, NULL, argv);
	struct hd_conclusion c = { .command = "replay", .schedule = path, .replay = command,
				   .quiet = outputs->quiet, .origin = path };
	struct hd_outputs out;
	struct hd_outcome outcome;
	enum hd_err err = command ? HD_OK : hd_error(HD_ERR_NOMEM, "out of memory");

	hd_run_config_init(&run);
	if (!err)
		err = hd_run_config_from_schedule(&run, s, path);
	if (s->start_time)
		run.start_time = s->start_time;
	if (!err)
		err = hd_find_built_program(argv[0]);
	if (!err)
		err = hd_outputs_open(&out, outputs);
	if (!err) {
		c.outputs = &out;
		err = hd_launch(&l, &outcome);
		if (!err)
			err = hd_conclude(&c, &outcome, status);
		err = hd_outputs_close(&out, err);
	}
	free(command);
	return err;
}

enum hd_err hd_replay_run(const struct hd_output_config *outputs, const char *schedule,
			  char *const argv[], struct hd_result **result, struct hd_errbuf *error)
{
	struct hd_output_config own = *outputs;
	enum hd_status status = HD_STATUS_CLEAN;
	struct hd_schedule s = { 0 };
	struct hd_errbuf eb = { 0 };
	char *document = NULL;
	enum hd_err err;

	own.document = &document;
	if (hd_schedule_load(&s, schedule, &eb) != HD_OK)
		err = hd_error(HD_ERR_REQUEST, "%s", eb.text);
	else if (!argv && !s.argc)
		err = hd_error(HD_ERR_REQUEST, "'%s' does not say which program to run", schedule);
	else
		err = replay(&own, &s, schedule, argv ? (char **)argv : s.argv, &status);
	hd_schedule_free(&s);
	return give(err, status, document, result, error);
}

static enum hd_err analyse(struct hd_analyses *a, const struct hd_output_config *outputs, const char *path,
			   enum hd_status *status)
{
	struct hd_report_info info = { .command = "analyze", .analysis = true, .quiet = outputs->quiet };
	struct hd_errbuf eb = { 0 };
	struct hd_trace *trace;
	struct hd_outputs out;
	struct hd_run run;
	enum hd_err err;

	if (hd_trace_open(&trace, path, &eb) != HD_OK)
		return hd_error(HD_ERR_REQUEST, "%s", eb.text);
	err = hd_outputs_open(&out, outputs);
	if (!err) {
		err = hd_analyses_run(a, &run, trace, &eb);
		if (err) {
			hd_error(err == HD_ERR_NOMEM ? err : HD_ERR_REQUEST, "%s", eb.text);
		} else {
			info.notes = hd_analyses_notes(a);
			err = hd_outputs_write(&out, &run, &info, status);
		}
		hd_run_free(&run);
		err = hd_outputs_close(&out, err);
	}
	hd_trace_close(trace);
	return err;
}

enum hd_err hd_analyse(const struct hd_analysis_config *config, const struct hd_output_config *outputs,
		       const char *trace, struct hd_result **result, struct hd_errbuf *error)
{
	struct hd_output_config own = *outputs;
	enum hd_status status = HD_STATUS_CLEAN;
	struct hd_analyses *a = NULL;
	char *document = NULL;
	enum hd_err err = hd_analyses_new(&a, config, true);

	own.document = &document;
	if (!err)
		err = analyse(a, &own, trace, &status);
	hd_analyses_free(a);
	return give(err, status, document, result, error);
}
