/*
 * What the parts of explain.h share.
 *
 *   explain.c      what went wrong, event by event, and what follows from it
 *   place_words.c  what an address is
 *   wait_words.c   what threads wait for
 */
#ifndef HD_REPORT_EXPLAIN_IMPL_H
#define HD_REPORT_EXPLAIN_IMPL_H

#include "explain.h"

/* Where the event came from: " at FILE:LINE in FUNCTION", or nothing where that is unknown. */
void hd_put_at(FILE *out, const struct hd_run *run, const struct hd_event *ev);
/* "heap block of 8 bytes allocated by T1 at f.c:3 in f and freed by T2 at ..." */
void hd_put_block(FILE *out, const struct hd_run *run, const struct hd_origin *o);
/* The same, without who did it and what became of it. */
void hd_put_made(FILE *out, const struct hd_run *run, const struct hd_origin *o);

/* What the runtime says of the finding; else @otherwise. */
void hd_put_sentence(FILE *out, const struct hd_run *run, const struct hd_finding *f,
		     const char *otherwise);
void hd_put_deadlock(FILE *out, const struct hd_run *run, const struct hd_finding *f);
void hd_put_livelock(FILE *out, const struct hd_run *run, const struct hd_finding *f);

#endif
