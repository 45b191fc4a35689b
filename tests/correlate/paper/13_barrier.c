/*
 * Increments under one lock; then a barrier, and reads without it.
 *
 * EXPECT: none
 */
#include "../pair.h"

static volatile int x, sink_a, sink_b;
static pthread_barrier_t barrier;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void make(void)
{
	pthread_barrier_init(&barrier, NULL, 2);
}

static void a(void)
{
	pthread_once(&once, make);
	LOCK(m);
	x++;
	UNLOCK(m);
	pthread_barrier_wait(&barrier);
	sink_a = x;
}

static void b(void)
{
	pthread_once(&once, make);
	LOCK(m);
	x++;
	UNLOCK(m);
	pthread_barrier_wait(&barrier);
	sink_b = x;
}
