/*
 * An increment that happens before another.
 *
 * EXPECT: none
 */
#include "../pair.h"

static volatile int x;

static void a(void)
{
	x++;
	sem_post(&to_b);
}

static void b(void)
{
	sem_wait(&to_b);
	x++;
}
