/*
 * Where findings go, and which of them count: the files that options name.
 */
#ifndef HD_FINDINGS_OUTPUTS_H
#define HD_FINDINGS_OUTPUTS_H

#include "cli/cli_options.h"
#include "report/report.h"

#define HD_OUTPUTS 4 /* JSON, SARIF, JUnit, HTML */

struct hd_outputs {
	const struct hd_cli_options *options;
	FILE *file[HD_OUTPUTS]; /* NULL: not wanted */
	bool written[HD_OUTPUTS];
	struct hd_suppressions *suppressions;
	struct hd_baseline *baseline;
};

/*
 * Read and open everything, before any work is done, so that a wrong name costs nothing. From now on
 * the command has the budget of its options (common/budget.h), and signals that ask for an end are a
 * part of it. HD_EXIT_CLEAN, or an exit status after a message.
 */
int hd_outputs_open(struct hd_outputs *out, const struct hd_cli_options *o);

/*
 * Judge the findings of @run and report them: the text to @text, the rest to the files.
 * Fills in what @info has about the options. An exit status: clean, findings, failed.
 */
int hd_outputs_write(struct hd_outputs *out, struct hd_run *run, struct hd_report_info *info,
		     FILE *text);

/* In every case. @rc, or a failure to write what was still to be written. */
int hd_outputs_close(struct hd_outputs *out, int rc);

/* Does one of the files go to standard output? */
bool hd_outputs_use_stdout(const struct hd_outputs *out);

#endif
