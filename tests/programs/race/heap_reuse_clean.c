/*
 * Threads that know nothing of each other get the same heap memory one after the other.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 * RUN: run --policy pct --pct-length 100 --seed 1..20
 * EXPECT: clean
 * RUN: run --switch-at accesses --seed 1..20
 * EXPECT: clean
 */
#include "../program.h"

static void *work(void *arg)
{
	for (int i = 0; i < 10; i++) {
		char *block = malloc(64);

		memset(block, 1, 64);
		sched_yield();
		assert(block[63] == 1);
		free(block);
	}
	return NULL;
}

int main(void)
{
	pthread_t t[4];

	for (int i = 0; i < 4; i++)
		t[i] = start(work, NULL);
	for (int i = 0; i < 4; i++)
		finish(t[i]);
	return 0;
}
