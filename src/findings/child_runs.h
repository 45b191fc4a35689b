/*
 * What followed children did, in the report of the program: one list of findings for all processes.
 */
#ifndef HD_FINDINGS_CHILD_RUNS_H
#define HD_FINDINGS_CHILD_RUNS_H

#include <stdbool.h>

#include "common/err.h"
#include "launch/children.h"
#include "report/run_model.h"

#define HD_CHILD_NOTES 8

struct hd_child_run {
	struct hd_trace *trace;
	struct hd_run run;
};

struct hd_child_runs {
	struct hd_child_run *each;
	size_t n;
	uint64_t followed; /* with those that had nothing to tell */
	char *notes[HD_CHILD_NOTES + 1];
	size_t nnotes;
};

/* What they did; findings have their ids. To be freed whatever this says. */
enum hd_err hd_child_runs_read(struct hd_child_runs *runs, const struct hd_child_list *children,
			       struct hd_errbuf *eb);
/*
 * @to, the program's run, lists their findings from now on; false: no memory. A crash of a child is one only
 * if the program failed after it: else whoever made the child expected it, or does without. @runs must
 * live as long as @to.
 */
bool hd_child_runs_adopt(struct hd_child_runs *runs, struct hd_run *to);
void hd_child_runs_free(struct hd_child_runs *runs);

#endif
