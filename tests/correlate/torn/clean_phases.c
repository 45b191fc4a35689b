/*
 * What is read in one phase is written in the next; the other thread changes both in a phase
 * of its own.
 *
 * EXPECT: none
 */
#include "../pair.h"

static volatile int x = 1, y = 2;

static void a(void)
{
	int t;

	LOCK(m);
	t = x;
	UNLOCK(m);
	LOCK(m);
	y = 2 * t;
	UNLOCK(m);
	sem_post(&to_b);
}

static void b(void)
{
	sem_wait(&to_b);
	LOCK(m);
	x = 5;
	y = 10;
	UNLOCK(m);
}
