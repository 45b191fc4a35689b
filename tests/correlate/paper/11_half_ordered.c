/*
 * Increments under one lock; then both read without it. B waits for A before its read, but
 * nothing keeps the read of A from the increment of B.
 *
 * EXPECT: race x
 */
#include "../pair.h"

static volatile int x, sink_a, sink_b;

static void a(void)
{
	LOCK(m);
	x++;
	UNLOCK(m);
	sem_post(&to_b);
	sink_a = x;
}

static void b(void)
{
	LOCK(m);
	x++;
	UNLOCK(m);
	sem_wait(&to_b);
	sink_b = x;
}
