/*
 * What the Valgrind tool found, as findings of a run like any other, and as groups.
 */
#ifndef HD_CORRELATE_READER_CORRELATE_MODEL_H
#define HD_CORRELATE_READER_CORRELATE_MODEL_H

#include "correlate_input.h"
#include "report/run_model.h"
#include "trace/groups.h"
#include "trace/trace_writer.h"

/*
 * Make @run from @result: modules, threads, calls and blocks as a trace in a nameless file, so
 * that reports name everything as they do elsewhere, and one finding for each correlated set.
 * @run and *@trace are the caller's to free and close, also after a failure.
 */
enum hd_err hd_cr_run(struct hd_run *run, struct hd_trace **trace,
		      const struct hd_cr_result *result, const struct hd_trace_meta *meta,
		      const struct hd_trace_end *end, struct hd_errbuf *eb);

/* The number of the run's finding that finding @n of @result has become part of. */
size_t hd_cr_finding_of(const struct hd_cr_result *result, size_t n);

/* The correlated sets of at least two variables that threads share. */
enum hd_err hd_cr_groups(struct hd_groups *groups, const struct hd_run *run,
			 const struct hd_cr_result *result);

#endif
