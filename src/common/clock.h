/*
 * A clock that never goes back.
 */
#ifndef HD_COMMON_CLOCK_H
#define HD_COMMON_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline uint64_t hd_now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* In seconds. */
static inline double hd_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

#endif
