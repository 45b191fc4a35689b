/*
 * All analyses over one trace, and what they find as findings of the run.
 */
#ifndef HD_FINDINGS_ANALYSES_H
#define HD_FINDINGS_ANALYSES_H

#include "analysis/driver.h"
#include "common/err.h"
#include "heddle/engine/findings_config.h"
#include "report/run_model.h"

struct hd_analyses;

/*
 * Check what the options say: HD_OK, or an exit status after a message. @offline: a
 * trace is analysed that nobody has looked at, rather than one whose run was watched for
 * races.
 */
enum hd_err hd_analyses_new(struct hd_analyses **out, const struct hd_analysis_config *o,
			    bool offline);
void hd_analyses_free(struct hd_analyses *a);

/*
 * Let @fn have what is found, instead of the run: hd_analyses_run() then only does what
 * hd_run_read() does to the run.
 */
void hd_analyses_tell(struct hd_analyses *a, hd_found_fn *fn, void *arg);

/* Add an analysis, whatever the options say. */
void hd_analyses_with(struct hd_analyses *a, enum hd_analysis which);

/* Leave an analysis out, whatever the options say. */
void hd_analyses_without(struct hd_analyses *a, enum hd_analysis which);

/*
 * hd_run_gather() with analyses: reads @trace for what is in it, then once more through
 * all analyses, then for what their findings need. When the budget is over the analyses end
 * where they are, and a note says so.
 */
enum hd_err hd_analyses_run(struct hd_analyses *a, struct hd_run *run, struct hd_trace *trace,
			    struct hd_errbuf *eb);

/* After it: how long they took, and notes on what they left out (NULL at the end). */
const struct hd_analyses_stats *hd_analyses_stats(const struct hd_analyses *a);
const char *const *hd_analyses_notes(const struct hd_analyses *a);

/*
 * After it: a wait that a wake-up may miss, or NULL. It is among the notes, unless somebody else is
 * told of findings: he says it if nothing else explains what happens there.
 */
const struct hd_lost_wakeup *hd_analyses_lost_wakeup(const struct hd_analyses *a);

#endif
