/*
 * Gathering what one run did while its trace goes by: run_model.c, run_findings.c and run_exit.c
 * share this.
 */
#ifndef HD_REPORT_RUN_GATHER_H
#define HD_REPORT_RUN_GATHER_H

#include "run_model.h"

/* What gathering keeps beside the result. */
struct hd_gather {
	struct hd_run *run;
	struct hd_finding *open; /* between FINDING and FINDING_END */
	bool left_out;		 /* the current finding is one too many */
	struct hd_event last;	 /* of the current thread */
	struct hd_switch switches[HD_RUN_SWITCHES];
	uint64_t nswitches; /* in all; the last HD_RUN_SWITCHES are kept */
	/* With --model c11: what PLACE said last, writes by name, reads of older values. */
	struct hd_event place;
	struct hd_event *writes; /* NULL: none yet */
	struct hd_older older[HD_RUN_SWITCHES];
	uint64_t nolder;
	uint64_t index; /* of the event that is looked at */
	hd_watch_fn *watch;
	void *watch_arg;
};

/* All of these are false if there is no memory. */

/* run_findings.c: a finding begins with @ev; g->open, unless there are too many. */
bool hd_gather_begin(struct hd_gather *g, const struct hd_event *ev);
/* @ev is of a finding. */
bool hd_gather_finding_event(struct hd_gather *g, const struct hd_event *ev);

/* run_exit.c: at the end of the trace, how the program ended, and what that says. */
bool hd_gather_exit(struct hd_gather *g);

#endif
