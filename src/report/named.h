/*
 * Data that is to be checked, where somebody has named it: by --check-only, or in the program by
 * HEDDLE_CHECK. Findings about other data are left out. Those that are about no data (deadlocks,
 * crashes, misuse, memory errors) stay.
 */
#ifndef HD_REPORT_NAMED_H
#define HD_REPORT_NAMED_H

#include "run_model.h"

struct hd_named;

/* @pattern is a regular expression; NULL: only what the program itself names. */
enum hd_err hd_named_new(struct hd_named **out, const char *pattern, struct hd_errbuf *eb);
void hd_named_free(struct hd_named *n);

/* Is only some data checked in @run? */
bool hd_is_limited(const struct hd_named *n, const struct hd_run *run);

/* Leave out the findings of @run that are about other data. */
void hd_keep_named(const struct hd_named *n, struct hd_run *run);

/* May @found, of @run, be about data that was named? Where memory comes from is not known yet. */
bool hd_may_be_named(const struct hd_named *n, const struct hd_run *run,
		     const struct hd_found *found);

/* What was checked in @run, whose unhooked code is known, a sentence for the caller to free; NULL: everything, or no memory. */
char *hd_named_note(const struct hd_named *n, const struct hd_run *run);

#endif
