/*
 * Written and read in one phase. GOOD: in two.
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
	x = 5;
	pthread_barrier_wait(&bar);
}

static void b(void)
{
#ifdef GOOD
	pthread_barrier_wait(&bar);
#else
#endif
	if (x > 9)
		puts("many");
#ifdef GOOD
#else
	pthread_barrier_wait(&bar);
#endif
}
