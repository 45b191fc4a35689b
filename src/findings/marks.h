/*
 * Beside a saved run, which of its events a finding is about, as lines "ROLE EVENT". What stops a
 * debugger before the first of them reads this.
 */
#ifndef HD_FINDINGS_MARKS_H
#define HD_FINDINGS_MARKS_H

#include "common/err.h"
#include "report/run_model.h"

struct hd_mark {
	char role[16];
	uint64_t event; /* its number in the trace */
};

struct hd_marks {
	struct hd_mark *mark; /* in the order in which they happened */
	size_t n;
};

/* Those of the accesses of @f that were recorded. */
enum hd_err hd_marks_of(struct hd_marks *m, const struct hd_finding *f);
void hd_marks_free(struct hd_marks *m);

/* Write them beside @trace, in a file with the ending .marks; none: no file. */
enum hd_err hd_marks_save(const struct hd_marks *m, const char *trace);
/* What is beside @trace; none if there is no such file, or it is not one of ours. */
enum hd_err hd_marks_load(struct hd_marks *m, const char *trace);

#endif
