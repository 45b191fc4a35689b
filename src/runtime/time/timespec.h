/*
 * Times as the program gives them, in nanoseconds.
 */
#ifndef HD_RUNTIME_TIMESPEC_H
#define HD_RUNTIME_TIMESPEC_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/time.h>
#include <time.h>

#include "runtime/libc/libc_calls.h"
#include "runtime/rt.h"

/* Whatever is too long is the longest time that ends. */
static inline uint64_t hd_rt_time_add(uint64_t a, uint64_t b)
{
	return a > HD_NEVER - 1 - b ? HD_NEVER - 1 : a + b;
}

static inline uint64_t hd_rt_timespec_ns(const struct timespec *ts)
{
	if (ts->tv_sec < 0)
		return 0;
	if ((uint64_t)ts->tv_sec >= HD_NEVER / HD_NS - 1)
		return HD_NEVER - 1;
	return (uint64_t)ts->tv_sec * HD_NS + (uint64_t)ts->tv_nsec;
}

static inline uint64_t hd_rt_timeval_ns(const struct timeval *tv)
{
	return (uint64_t)tv->tv_sec * HD_NS + (uint64_t)tv->tv_usec * 1000;
}

static inline void hd_rt_timespec_set(struct timespec *ts, uint64_t ns)
{
	ts->tv_sec = (time_t)(ns / HD_NS);
	ts->tv_nsec = (long)(ns % HD_NS);
}

static inline void hd_rt_timeval_set(struct timeval *tv, uint64_t ns)
{
	tv->tv_sec = (time_t)(ns / HD_NS);
	tv->tv_usec = (suseconds_t)(ns % HD_NS / 1000);
}

static inline bool hd_rt_timespec_valid(const struct timespec *ts)
{
	return ts->tv_sec >= 0 && ts->tv_nsec >= 0 && ts->tv_nsec < (long)HD_NS;
}

static inline bool hd_rt_timeval_valid(const struct timeval *tv)
{
	return tv->tv_sec >= 0 && tv->tv_usec >= 0 && tv->tv_usec < 1000000;
}

#endif
