/*
 * Atomic counters of every size lose nothing; a loop of compare-and-swap is one, too.
 *
 * CC: -mcx16 -latomic
 * RUN: run --seed 1..20
 * EXPECT: clean
 * RUN: run --switch-at accesses --seed 1..10
 * EXPECT: clean
 */
#include "../program.h"

typedef unsigned __int128 uint128_t;

static uint8_t c8;
static uint16_t c16;
static uint32_t c32;
static uint64_t c64;
static uint128_t c128;
static int looped;

static void *count(void *arg)
{
	for (int i = 0; i < 20; i++) {
		int old = __atomic_load_n(&looped, __ATOMIC_RELAXED);

		__atomic_fetch_add(&c8, 1, __ATOMIC_RELAXED);
		__atomic_fetch_add(&c16, 1, __ATOMIC_ACQ_REL);
		__atomic_fetch_add(&c32, 1, __ATOMIC_SEQ_CST);
		__atomic_fetch_sub(&c64, 1, __ATOMIC_RELEASE);
		__atomic_fetch_add(&c128, (uint128_t)1 << 64, __ATOMIC_SEQ_CST);
		while (!__atomic_compare_exchange_n(&looped, &old, old + 1, 1, __ATOMIC_SEQ_CST,
						    __ATOMIC_RELAXED))
			;
	}
	return NULL;
}

int main(void)
{
	pthread_t t[3];

	for (int i = 0; i < 3; i++)
		t[i] = start(count, NULL);
	for (int i = 0; i < 3; i++)
		finish(t[i]);
	assert(c8 == 60 && c16 == 60 && c32 == 60 && c64 == (uint64_t)-60);
	assert(c128 == (uint128_t)60 << 64);
	assert(looped == 60);
	return 0;
}
