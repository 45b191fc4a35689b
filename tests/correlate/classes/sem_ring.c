/*
 * Two slots that go round. GOOD: the reader waits for each.
 *
 * EXPECT: race x
 * MISSED: -O0 -O2
 */
#include "../pair.h"

static volatile int x[2];

__attribute__((constructor)) static void set_up(void)
{
}

static void a(void)
{
	for (int i = 0; i < 2; i++) {
		x[i] = i;
		sem_post(&to_b);
	}
}

static void b(void)
{
	int sum = 0;

	sem_wait(&to_b);
#ifdef GOOD
	sem_wait(&to_b);
#endif
	sum = x[0] + x[1];
	if (sum > 9)
		puts("many");
}
