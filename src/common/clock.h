/*
 * Seconds of a clock that never goes back.
 */
#ifndef HD_COMMON_CLOCK_H
#define HD_COMMON_CLOCK_H

#include <time.h>

static inline double hd_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

#endif
