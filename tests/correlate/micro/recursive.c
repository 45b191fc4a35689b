/*
 * A recursive lock is given back once too often inside. GOOD: as often as taken.
 *
 * EXPECT: race x
 */
#define _GNU_SOURCE
#include "../pair.h"

static volatile int x;
static pthread_mutex_t again = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

static void a(void)
{
	pthread_mutex_lock(&again);
	pthread_mutex_lock(&again);
	pthread_mutex_unlock(&again);
#ifndef GOOD
	pthread_mutex_unlock(&again);
#endif
	x++;
#ifdef GOOD
	pthread_mutex_unlock(&again);
#endif
}

static void b(void)
{
	pthread_mutex_lock(&again);
	x++;
	pthread_mutex_unlock(&again);
}
