/*
 * How many executions a search will make in all, by what part of everything is done (struct hd_xstats). It takes
 * what is left to be as large as what was tried beside it, and knows only of what is wanted so far; so it is too low, and
 * grows. By how much it has grown lately is the measure of how wrong it may be.
 */
#ifndef HD_EXPLORE_ESTIMATE_H
#define HD_EXPLORE_ESTIMATE_H

#include <stdbool.h>
#include <stdint.h>

#define HD_ESTIMATES 64u

struct hd_estimate {
	double size[HD_ESTIMATES]; /* a ring; each some way after the one before */
	uint64_t at[HD_ESTIMATES]; /* after so many executions */
	unsigned n;
	uint64_t due;
};

/* After @executions a part (0 to 1) of everything is done. */
void hd_estimate_add(struct hd_estimate *e, uint64_t executions, double part);

/*
 * The last one, after @executions, and the one from when half as many were made. False: it is too early.
 */
bool hd_estimate_get(const struct hd_estimate *e, uint64_t executions, uint64_t *size,
		     uint64_t *before);

#endif
