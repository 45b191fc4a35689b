/*
 * Each fills its half, and then reads the other's. GOOD: after the barrier.
 *
 * EXPECT: race x
 */
#include "../pair.h"

static volatile int x[8];
static pthread_barrier_t bar;

__attribute__((constructor)) static void set_up(void)
{
	pthread_barrier_init(&bar, NULL, 2);
}

static void work(int from)
{
	int sum = 0;

	for (int i = 0; i < 4; i++)
		x[from + i] = i;
#ifdef GOOD
	pthread_barrier_wait(&bar);
#endif
	for (int i = 0; i < 8; i++)
		sum += x[i];
	if (sum > 99)
		puts("many");
#ifndef GOOD
	pthread_barrier_wait(&bar);
#endif
}

static void a(void)
{
	work(0);
}

static void b(void)
{
	work(4);
}
