/*
 * The engine of heddle as a library: check a program, explore it, replay a run, analyse a trace.
 *
 *     struct hd_campaign_config config;
 *     struct hd_errbuf error;
 *     struct hd_result *result;
 *
 *     hd_check_config_init(&config);
 *     config.outputs.seconds = 60;
 *     if (hd_check_run(&config, argv, &result, &error) != HD_OK)
 *             ... error.text says why ...
 *     for (size_t i = 0; i < hd_result_count(result); i++)
 *             puts(hd_result_finding(result, i)->summary);
 *     hd_result_free(result);
 *
 * Programs must be built with `heddle cc`. The engine neither prints nor exits; what it has to say
 * while it works goes to a listener (hd_listen). It works for one caller at a time: budget, listener
 * and interruption belong to the process. It starts processes, and waits for those alone.
 *
 * Build with `pkg-config --cflags --libs heddle-engine`.
 */
#ifndef HEDDLE_ENGINE_H
#define HEDDLE_ENGINE_H

#include <stddef.h>

#include <heddle/engine/campaign_config.h>
#include <heddle/engine/err.h>
#include <heddle/engine/explore_config.h>
#include <heddle/engine/findings_config.h>
#include <heddle/engine/listener.h>
#include <heddle/engine/predict_config.h>
#include <heddle/engine/run_config.h>
#include <heddle/engine/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- what to do ------------------------------------------------------------------- */

/* The defaults of the commands of these names; change what is to be different. */
void hd_check_config_init(struct hd_campaign_config *config);
void hd_explore_config_init(struct hd_explore_config *config);
void hd_predict_config_init(struct hd_predict_config *config);

/* ---- doing it --------------------------------------------------------------------- */

struct hd_result;

/*
 * Each: HD_OK, and a result to be freed, whatever was found; or a code, with the reason in @error
 * (may be NULL) and no result. HD_ERR_REQUEST: what was asked for was wrong.
 */

/* Observe a run of @argv (NULL at the end), predict what could fail in others, and run those. */
enum hd_err hd_check_run(const struct hd_campaign_config *config, char *const argv[],
			 struct hd_result **result, struct hd_errbuf *error);

/* Run @argv under every schedule that matters, or as many as the budget lets. */
enum hd_err hd_explore_run(const struct hd_explore_config *config, char *const argv[],
			   struct hd_result **result, struct hd_errbuf *error);

/* Decide which other orders of a recorded run are possible. */
enum hd_err hd_predict_run(const struct hd_predict_config *config, const char *trace,
			   struct hd_result **result, struct hd_errbuf *error);

/* Run it as @schedule has it: a trace, a schedule as text, or a plan. @argv NULL: as recorded. */
enum hd_err hd_replay_run(const struct hd_output_config *outputs, const char *schedule,
			  char *const argv[], struct hd_result **result, struct hd_errbuf *error);

/* Look for races, torn blocks, lock cycles and lost wake-ups in a recorded run. */
enum hd_err hd_analyse(const struct hd_analysis_config *config,
		       const struct hd_output_config *outputs, const char *trace,
		       struct hd_result **result, struct hd_errbuf *error);

/* Let what is going on come to its end soon. Context: a signal handler or another thread, too. */
void hd_interrupt(void);

/* ---- what came of it -------------------------------------------------------------- */

/* Clean, findings, or stopped before everything was tried. */
enum hd_status hd_result_status(const struct hd_result *result);

/* What a list would show; texts live as long as the result, NULL: unknown. */
struct hd_finding_line {
	const char *id;	     /* the same in every run that shows it */
	const char *kind;    /* "race", "atomicity", "deadlock", ... */
	const char *verdict; /* "observed", "confirmed", ... */
	const char *summary; /* one line */
	const char *variable;
	const char *replay; /* command that shows it again */
	const char *file;   /* where the first of its accesses is */
	unsigned line;
};

size_t hd_result_count(const struct hd_result *result);
const struct hd_finding_line *hd_result_finding(const struct hd_result *result, size_t i);

/* All of it, as docs/reference/findings.schema.json describes it. */
const char *hd_result_json(const struct hd_result *result);

void hd_result_free(struct hd_result *result);

#ifdef __cplusplus
}
#endif

#endif
