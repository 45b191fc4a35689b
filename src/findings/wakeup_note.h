/*
 * Wake-ups that come too early or reach the wrong thread are not predicted. Where a run looks as if
 * that could happen, a note says so, with the command that tries it.
 */
#ifndef HD_FINDINGS_WAKEUP_NOTE_H
#define HD_FINDINGS_WAKEUP_NOTE_H

#include "analysis/locks/lost_wakeup.h"
#include "report/run_model.h"

/* The note on what @run shows; the caller frees it. NULL: no memory. */
char *hd_wakeup_note(const struct hd_run *run, const struct hd_lost_wakeup *lost);

/* Did threads of the run wait for each other for ever? Then that is told, not what may be. */
bool hd_wakeup_is_explained(const struct hd_run *run);

#endif
