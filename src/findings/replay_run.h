/*
 * `heddle replay`: the run that a schedule describes, once more; or the one that a plan describes,
 * for the first time.
 */
#ifndef HD_FINDINGS_REPLAY_RUN_H
#define HD_FINDINGS_REPLAY_RUN_H

#include "common/err.h"
#include "heddle/engine/findings_config.h"
#include "heddle/engine/status.h"
#include "launch/launch.h"
#include "trace/plan.h"

/* Texts are somebody else's; NULL: not said. */
struct hd_replay_config {
	struct hd_run_config run; /* what no schedule says: carriers */
	struct hd_output_config outputs;
	const char *record; /* file for the trace */
	const char *save;   /* file for the schedule as text */
	const char *after;  /* how to go on after a plan's goal; NULL: as the plan says */
	bool force;	    /* follow a plan with another program or other arguments, too */
};

/* What is followed, by which program. */
struct hd_replay {
	const struct hd_replay_config *config;
	const char *path;
	struct hd_schedule
		schedule; /* the run: program, options, choices; of a plan, plan.run is it */
	struct hd_plan plan;
	bool by_plan;
	char *build_id; /* of the program then; NULL: unknown */
	struct hd_run_config run;
	char **argv; /* of the caller, or as recorded */
	int argc;
};

/*
 * Read the trace, schedule or plan at @path. @argv (NULL at the end) is run; NULL or empty: what was
 * recorded. @config, @path and @argv have to stay. To be freed in every case.
 */
enum hd_err hd_replay_load(struct hd_replay *r, const struct hd_replay_config *config,
			   const char *path, char **argv);
void hd_replay_free(struct hd_replay *r);

/* How to start the program so that it follows; @r has to stay. */
struct hd_launch hd_replay_launch(const struct hd_replay *r);

/* Load, run and report. */
enum hd_err hd_replay_schedule(const struct hd_replay_config *config, const char *path, char **argv,
			       enum hd_status *status);

#endif
