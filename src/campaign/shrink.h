/*
 * A failing schedule with as few preemptions as possible that still fails.
 *
 * The schedule is a list of segments: a thread and for how many scheduling points it runs.
 * Parts of the list are left out, coarse ones first, and threads are let run on until
 * they wait or end by themselves; each attempt is a run of the program. What remains is minimal
 * in that no single segment can be left out and no single preemption be spared, unless the tries
 * ran out. An empty list is a run without preemption.
 */
#ifndef HD_CAMPAIGN_SHRINK_H
#define HD_CAMPAIGN_SHRINK_H

#include <stddef.h>
#include <stdint.h>

#include "common/err.h"
#include "trace/segment.h"

#define HD_SEGMENT_ON UINT32_MAX /* as a count: until the thread waits or ends */

struct hd_shrink;

/* Variant @i of those that are to be tried now; freed by the caller. NULL: no memory. */
struct hd_segment *hd_shrink_variant(const struct hd_shrink *s, size_t i, size_t *n);

#define HD_SHRINK_NONE SIZE_MAX       /* none of them fails */
#define HD_SHRINK_STOP (SIZE_MAX - 1) /* an end to it: out of time, or worse */

/* The first of variants 0 .. @n - 1 that fails like the original; or one of the above. */
typedef size_t hd_shrink_first_fn(void *arg, const struct hd_shrink *s, size_t n);

/* *@list, which fails, becomes smaller; it is freed and made anew by malloc. */
enum hd_err hd_shrink(struct hd_segment **list, size_t *n, hd_shrink_first_fn *first, void *arg);

#endif
