/*
 * A spin lock made of test-and-set: each try writes, but changes nothing.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 * RUN: run --policy pct --pct-length 100 --seed 1..20
 * EXPECT: clean
 * RUN: run --policy rr
 * EXPECT: clean
 * RUN: run --switch-at sync --seed 1..5
 * EXPECT: clean
 */
#include "../program.h"
#include <stdatomic.h>

static atomic_flag lock = ATOMIC_FLAG_INIT;
static int total;

static void *add(void *arg)
{
	for (int i = 0; i < 10; i++) {
		int before;

		while (atomic_flag_test_and_set_explicit(&lock, memory_order_acquire))
			;
		before = total;
		sched_yield();
		total = before + 1;
		atomic_flag_clear_explicit(&lock, memory_order_release);
	}
	return NULL;
}

int main(void)
{
	pthread_t t = start(add, NULL), u = start(add, NULL), v = start(add, NULL);

	finish(t);
	finish(u);
	finish(v);
	assert(total == 30);
	return 0;
}
