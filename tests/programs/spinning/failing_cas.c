/*
 * A loop of failing compare-and-swaps that only another thread can end.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 * RUN: run --policy pct --pct-length 100 --seed 1..20
 * EXPECT: clean
 */
#include "../program.h"
#include <stdatomic.h>

static atomic_int state;

static void *advance(void *arg)
{
	int step = (int)(intptr_t)arg;

	for (;;) {
		int expected = step;

		if (atomic_compare_exchange_weak(&state, &expected, step + 1))
			return NULL;
	}
}

int main(void)
{
	pthread_t t[4];

	for (intptr_t i = 0; i < 4; i++)
		t[i] = start(advance, (void *)(3 - i));
	for (int i = 0; i < 4; i++)
		finish(t[i]);
	assert(state == 4);
	return 0;
}
