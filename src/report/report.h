/*
 * The findings of a run, for a person and for a machine.
 */
#ifndef HD_REPORT_H
#define HD_REPORT_H

#include <stdio.h>

#include "run_model.h"

/* What the trace itself does not know about the run. */
struct hd_report_info {
	const char *command;  /* "run", "replay", ... */
	const char *schedule; /* file that replays the run, or NULL */
	const char *replay;   /* command that replays the run, or NULL */
	const char *origin;   /* "seed 7", "replayed from bank.htr" */
	bool recorded;        /* decisions were recorded, so their number is known */
	bool color;
	bool quiet;           /* say nothing if there is nothing to say */
	double seconds;
	const char *const *notes; /* sentences, NULL at the end; may be NULL */
};

/* "heddle: the replay left its schedule: ..." is the first line if it did. */
enum hd_err hd_report_text(FILE *out, const struct hd_run *run, const struct hd_report_info *info);

/* One document as docs/findings.schema.json describes it. */
enum hd_err hd_report_json(FILE *out, const struct hd_run *run, const struct hd_report_info *info);

#endif
