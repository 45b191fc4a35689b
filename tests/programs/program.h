/* What most test programs need. */
#ifndef HD_TEST_PROGRAM_H
#define HD_TEST_PROGRAM_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_S 1000000000LL

static inline pthread_t start(void *(*fn)(void *), void *arg)
{
	pthread_t t;
	int rc = pthread_create(&t, NULL, fn, arg);

	assert(rc == 0);
	return t;
}

static inline void *finish(pthread_t t)
{
	void *ret = NULL;
	int rc = pthread_join(t, &ret);

	assert(rc == 0);
	return ret;
}

static inline int64_t now_ns(clockid_t clock)
{
	struct timespec ts;
	int rc = clock_gettime(clock, &ts);

	assert(rc == 0);
	return ts.tv_sec * NS_PER_S + ts.tv_nsec;
}

static inline struct timespec at_ns(int64_t ns)
{
	struct timespec ts = { .tv_sec = ns / NS_PER_S, .tv_nsec = ns % NS_PER_S };

	return ts;
}

/* The time @seconds from now. */
static inline struct timespec in_seconds(clockid_t clock, int64_t seconds)
{
	return at_ns(now_ns(clock) + seconds * NS_PER_S);
}

#endif
