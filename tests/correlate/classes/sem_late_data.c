/*
 * Data is written after the semaphore was raised. GOOD: before.
 *
 * EXPECT: race x
 */
#include "../pair.h"

static volatile int x;

static void a(void)
{
#ifdef GOOD
	x = 5;
	sem_post(&to_b);
#else
	sem_post(&to_b);
	x = 5;
#endif
}

static void b(void)
{
	sem_wait(&to_b);
	if (x > 9)
		puts("many");
}
