/*
 * Increments under one lock; then B waits for A and increments without it.
 *
 * EXPECT: none
 */
#include "../pair.h"

static volatile int x;

static void a(void)
{
	LOCK(m);
	x++;
	UNLOCK(m);
	sem_post(&to_b);
}

static void b(void)
{
	LOCK(m);
	x++;
	UNLOCK(m);
	sem_wait(&to_b);
	x++;
}
