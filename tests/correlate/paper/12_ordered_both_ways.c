/*
 * As the test before, but A waits for B as well.
 *
 * EXPECT: none
 */
#include "../pair.h"

static volatile int x, sink_a, sink_b;

static void a(void)
{
	LOCK(m);
	x++;
	UNLOCK(m);
	sem_post(&to_b);
	sem_wait(&to_a);
	sink_a = x;
}

static void b(void)
{
	LOCK(m);
	x++;
	UNLOCK(m);
	sem_post(&to_a);
	sem_wait(&to_b);
	sink_b = x;
}
