/*
 * A lock made of a C11 atomic_flag.
 *
 * CC: gnu11
 * RUN: run --seed 1..20
 * EXPECT: clean
 * RUN: run --policy pct --pct-length 100 --seed 1..20
 * EXPECT: clean
 * RUN: run --switch-at accesses --seed 1..20
 * EXPECT: clean
 */
#include "../program.h"
#include <stdatomic.h>
#include <threads.h>

static atomic_flag busy = ATOMIC_FLAG_INIT;
static int total;

static int add(void *arg)
{
	while (atomic_flag_test_and_set_explicit(&busy, memory_order_acquire))
		thrd_yield();
	total++;
	atomic_flag_clear_explicit(&busy, memory_order_release);
	return 0;
}

int main(void)
{
	thrd_t a, b;

	thrd_create(&a, add, NULL);
	thrd_create(&b, add, NULL);
	thrd_join(a, NULL);
	thrd_join(b, NULL);
	return total - 2;
}
