/*
 * Second pass over a trace: where the memory and the locks come from that the
 * findings mention, and which events their accesses are.
 */
#ifndef HD_REPORT_TRACE_BACK_H
#define HD_REPORT_TRACE_BACK_H

#include "run_model.h"

/*
 * Fill in the findings' origins, where held locks were taken and, for accesses of
 * which only thread, place and operation are known, their event: the last such one
 * before the finding.
 */
enum hd_err hd_trace_back(struct hd_run *run, struct hd_errbuf *eb);

/* What @ev says about places that are known: where they come from, and who took a lock. False: no memory. */
bool hd_note_places(struct hd_run *run, const struct hd_event *ev);

#endif
