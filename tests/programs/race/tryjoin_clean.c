/*
 * A thread joined by trying, and one joined in time.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 * RUN: run --policy pct --pct-length 100 --seed 1..20
 * EXPECT: clean
 * RUN: run --switch-at accesses --seed 1..20
 * EXPECT: clean
 */
#include "../program.h"

static int x, y;

static void *add(void *counter)
{
	(*(int *)counter)++;
	return NULL;
}

int main(void)
{
	pthread_t a = start(add, &x), b = start(add, &y);
	struct timespec deadline = in_seconds(CLOCK_REALTIME, 1000);

	while (pthread_tryjoin_np(a, NULL) != 0)
		sched_yield();
	assert(x == 1);
	assert(pthread_timedjoin_np(b, NULL, &deadline) == 0);
	assert(y == 1);
	return 0;
}
