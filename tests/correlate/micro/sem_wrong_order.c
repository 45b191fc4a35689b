/*
 * The semaphore is posted before the value is written. GOOD: after.
 *
 * EXPECT: race box
 */
#include "../pair.h"

static volatile int box;
int got;

static void a(void)
{
#ifdef GOOD
	box = 1;
	sem_post(&to_b);
#else
	sem_post(&to_b);
	box = 1;
#endif
}

static void b(void)
{
	sem_wait(&to_b);
	got = box;
}
