/*
 * The door: the public functions of heddle/engine.h over what does the work.
 */
#include "heddle/engine.h"

#include <stdlib.h>

#include "common/interrupts.h"
#include "check/check.h"
#include "explore/exploration.h"
#include "findings/analyse_run.h"
#include "findings/predict_run.h"
#include "findings/replay_run.h"
#include "result.h"

/* ---- configurations ----------------------------------------------------------------- */

#define STALLS 100000000u /* 100 ms: a loaded machine does that to a thread */

void hd_check_config_init(struct hd_campaign_config *config)
{
	*config = (struct hd_campaign_config){ .jobs = 1, .runs = 1, .stalls = STALLS };
	hd_run_config_init(&config->run);
}

void hd_explore_config_init(struct hd_explore_config *config)
{
	*config = (struct hd_explore_config){ .match = HD_MATCH_YES,
					      .snapshots = HD_SNAP_AUTO,
					      .commute = true,
					      .symmetry = true,
					      .preemptions = 2,
					      .depth = 10000,
					      .spins = 100 };
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
static enum hd_err give(enum hd_err err, enum hd_status status, char *document,
			struct hd_result **result, struct hd_errbuf *error)
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
	return give(hd_error(HD_ERR_REQUEST, "which program?"), HD_STATUS_CLEAN, NULL, result,
		    error);
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

enum hd_err hd_replay_run(const struct hd_output_config *outputs, const char *schedule,
			  char *const argv[], struct hd_result **result, struct hd_errbuf *error)
{
	struct hd_replay_config own = { .outputs = *outputs };
	enum hd_status status = HD_STATUS_CLEAN;
	char *document = NULL;
	enum hd_err err;

	own.outputs.document = &document;
	hd_run_config_init(&own.run);
	err = hd_replay_schedule(&own, schedule, (char **)argv, &status);
	return give(err, status, document, result, error);
}

enum hd_err hd_analyse(const struct hd_analysis_config *config,
		       const struct hd_output_config *outputs, const char *trace,
		       struct hd_result **result, struct hd_errbuf *error)
{
	struct hd_output_config own = *outputs;
	enum hd_status status = HD_STATUS_CLEAN;
	char *document = NULL;
	enum hd_err err;

	own.document = &document;
	err = hd_analyse_trace(config, &own, false, trace, &status);
	return give(err, status, document, result, error);
}
