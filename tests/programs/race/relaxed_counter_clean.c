/*
 * Relaxed atomics alone are no race, in whatever size and order they meet.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 * RUN: run --policy pct --pct-length 100 --seed 1..20
 * EXPECT: clean
 * RUN: run --switch-at accesses --seed 1..20
 * EXPECT: clean
 */
#include "../program.h"

static uint8_t small;
static uint16_t medium;
static uint64_t large;

static void *count(void *arg)
{
	__atomic_fetch_add(&small, 1, __ATOMIC_RELAXED);
	__atomic_store_n(&medium, 7, __ATOMIC_RELAXED);
	__atomic_exchange_n(&large, (uint64_t)1 << 40, __ATOMIC_RELAXED);
	return (void *)(intptr_t)__atomic_load_n(&medium, __ATOMIC_RELAXED);
}

int main(void)
{
	pthread_t a = start(count, NULL), b = start(count, NULL);

	assert((intptr_t)finish(a) == 7 && (intptr_t)finish(b) == 7);
	assert(small == 2 && large == (uint64_t)1 << 40);
	return 0;
}
