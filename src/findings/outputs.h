/*
 * Where findings go, and which of them count: the files that options name.
 */
#ifndef HD_FINDINGS_OUTPUTS_H
#define HD_FINDINGS_OUTPUTS_H

#include "common/err.h"
#include "heddle/engine/findings_config.h"
#include "heddle/engine/status.h"
#include "report/named.h"
#include "report/report.h"

struct hd_outputs {
	const struct hd_output_config *config;
	FILE *file[HD_OUTPUTS]; /* NULL: not wanted */
	bool written[HD_OUTPUTS];
	struct hd_suppressions *suppressions;
	struct hd_named *named; /* NULL: the command has no such option */
	struct hd_baseline *baseline;
};

/*
 * Read and open everything, before any work is done, so that a wrong name costs nothing. From now on
 * the command has the budget of its options (common/budget.h), and signals that ask for an end are a
 * part of it.
 */
enum hd_err hd_outputs_open(struct hd_outputs *out, const struct hd_output_config *o);

/*
 * Judge the findings of @run and report them, as text and to the files.
 * Fills in what @info has about the options, and says in *@status what came of it.
 */
enum hd_err hd_outputs_write(struct hd_outputs *out, struct hd_run *run,
			     struct hd_report_info *info, enum hd_status *status);

/*
 * After it, in a command on a trace: has the text arrived? And of a trace that breaks off, nobody can
 * say that it has no findings.
 */
enum hd_err hd_outputs_check(const struct hd_outputs *out, const struct hd_run *run,
			     enum hd_status status);

/* In every case. @rc, or a failure to write what was still to be written. */
enum hd_err hd_outputs_close(struct hd_outputs *out, enum hd_err rc);

#endif
