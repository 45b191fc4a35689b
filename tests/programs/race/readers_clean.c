/*
 * Many readers of what was written before they began, and a writer when they are gone.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 * RUN: run --policy pct --pct-length 100 --seed 1..20
 * EXPECT: clean
 * RUN: run --switch-at accesses --seed 1..20
 * EXPECT: clean
 */
#include "../program.h"

static int table[16];

static void *sum(void *arg)
{
	intptr_t total = 0;

	for (int i = 0; i < 16; i++)
		total += table[i];
	return (void *)total;
}

int main(void)
{
	pthread_t t[10];

	for (int round = 1; round <= 2; round++) {
		for (int i = 0; i < 16; i++)
			table[i] += 1;
		for (int i = 0; i < 10; i++)
			t[i] = start(sum, NULL);
		for (int i = 0; i < 10; i++)
			assert((intptr_t)finish(t[i]) == 16 * round);
	}
	return 0;
}
