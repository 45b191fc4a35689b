/*
 * One writes in each phase, in turns; both in the last. GOOD: one in the last, too.
 *
 * EXPECT: race x
 */
#include "../pair.h"

static volatile int x;
static pthread_barrier_t bar;

__attribute__((constructor)) static void set_up(void)
{
	pthread_barrier_init(&bar, NULL, 2);
}

static void a(void)
{
	x++;
	pthread_barrier_wait(&bar);
	pthread_barrier_wait(&bar);
	x++;
}

static void b(void)
{
	pthread_barrier_wait(&bar);
	x++;
	pthread_barrier_wait(&bar);
#ifndef GOOD
	x++;
#endif
}
