/*
 * A tells B, but nobody tells A. GOOD: both ways.
 *
 * EXPECT: race x
 */
#include "../pair.h"

static volatile int x;

static void a(void)
{
	x = 1;
	sem_post(&to_b);
#ifdef GOOD
	sem_wait(&to_a);
#endif
	x = 2;
}

static void b(void)
{
	sem_wait(&to_b);
	x = 3;
	sem_post(&to_a);
}
