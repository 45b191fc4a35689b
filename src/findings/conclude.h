/*
 * After a run: read its trace back, report, and say with which status to exit.
 */
#ifndef HD_FINDINGS_CONCLUDE_H
#define HD_FINDINGS_CONCLUDE_H

#include "common/err.h"
#include "analyses.h"
#include "launch/launch.h"
#include "outputs.h"
#include "trace/plan.h"
#include "trace/run_config_text.h"

struct hd_conclusion {
	const char *command;	    /* "run" or "replay" */
	const char *origin;	    /* "seed 7" */
	const char *record;	    /* file that the trace went to, or NULL */
	const char *schedule;	    /* file that replays the run, or NULL */
	const char *replay;	    /* command that does, or NULL */
	const char *build_id;	    /* of the program when the schedule was recorded, or NULL */
	const struct hd_plan *plan; /* that was followed, or NULL */
	bool quiet;		    /* if there are no findings */
	bool parallel;		    /* it was run on worker threads */
	struct hd_outputs *outputs; /* open */
	bool direct; /* the program was not started by heddle: its status is for who did */
	struct hd_analyses *analyses; /* of what was recorded; NULL: none */
};

enum hd_err hd_conclude(const struct hd_conclusion *c, struct hd_outcome *o,
			enum hd_status *status);

/* "heddle replay FILE -- PROG ..." or "heddle run --policy ... -- PROG ..."; NULL: no memory. */
char *hd_replay_command(const char *schedule, const struct hd_run_config *run, char **argv);

#endif
