/*
 * A lock made of compare-and-swap, acquire and release.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 * RUN: run --policy pct --pct-length 100 --seed 1..20
 * EXPECT: clean
 * RUN: run --switch-at accesses --seed 1..20
 * EXPECT: clean
 */
#include "../program.h"

static int word, total;

static void *add(void *arg)
{
	int free_word = 0;

	while (!__atomic_compare_exchange_n(&word, &free_word, 1, 0, __ATOMIC_ACQUIRE,
					    __ATOMIC_RELAXED))
		free_word = 0;
	total++;
	__atomic_store_n(&word, 0, __ATOMIC_RELEASE);
	return NULL;
}

int main(void)
{
	pthread_t a = start(add, NULL), b = start(add, NULL);

	finish(a);
	finish(b);
	return total - 2;
}
