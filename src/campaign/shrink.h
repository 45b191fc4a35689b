/*
 * A failing schedule with as few preemptions as possible that still fails: the one minimiser of
 * all campaigns, which knows nothing of programs. There are two ways to look for a smaller one.
 *
 * hd_shrink() has a schedule and runs. The schedule is a list of segments: a thread and for how many scheduling points it runs.
 * Reads of older values are left out first, then parts of the list, coarse ones first, and threads are let run on until
 * they wait or end by themselves; each attempt is a run of the program. What remains is minimal
 * in that no single segment can be left out and no single preemption be spared, unless the tries
 * ran out. An empty list is a run without preemption.
 *
 * hd_shrink_by_bound() has somebody who can go through all schedules with at most so many
 * preemptions. It asks for none, then for one, and so on: the first answer is the smallest there is.
 */
#ifndef HD_CAMPAIGN_SHRINK_H
#define HD_CAMPAIGN_SHRINK_H

#include <stddef.h>
#include <stdint.h>

#include "common/err.h"
#include "trace/segment.h"

struct hd_shrink;

/* Variant @i of those that are to be tried now; freed by the caller. NULL: no memory. */
struct hd_segment *hd_shrink_variant(const struct hd_shrink *s, size_t i, size_t *n);

#define HD_SHRINK_NONE SIZE_MAX	      /* none of them fails */
#define HD_SHRINK_STOP (SIZE_MAX - 1) /* an end to it: out of time, or worse */

/* The first of variants 0 .. @n - 1 that fails like the original; or one of the above. */
typedef size_t hd_shrink_first_fn(void *arg, const struct hd_shrink *s, size_t n);

/* *@list, which fails, becomes smaller; it is freed and made anew by malloc. */
enum hd_err hd_shrink(struct hd_segment **list, size_t *n, hd_shrink_first_fn *first, void *arg);

/* Of all schedules with at most so many preemptions: */
enum hd_bounded {
	HD_BOUNDED_FOUND, /* one fails like the original, and was kept */
	HD_BOUNDED_NONE,  /* none does */
	HD_BOUNDED_STOP,  /* not all were tried: out of time, or worse */
};

typedef enum hd_bounded hd_shrink_bounded_fn(void *arg, uint32_t bound);

/* Look for a failing schedule with fewer than @preemptions, the fewest first. */
void hd_shrink_by_bound(uint32_t preemptions, hd_shrink_bounded_fn *search, void *arg);

#endif
