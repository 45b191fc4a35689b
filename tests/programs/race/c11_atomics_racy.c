/*
 * Data handed over with a C11 atomic_flag that is cleared relaxed.
 *
 * CC: gnu11
 * RUN: run --seed 1..5
 * EXPECT: race 'data' @produce @main
 */
#include "../program.h"
#include <stdatomic.h>
#include <threads.h>

static atomic_flag busy = ATOMIC_FLAG_INIT;
int data; /* not static: the compiler must not know all its values */

static int produce(void *arg)
{
	data = 42;
	atomic_flag_clear_explicit(&busy, memory_order_relaxed);
	return 0;
}

int main(void)
{
	thrd_t t;
	int seen;

	atomic_flag_test_and_set(&busy);
	thrd_create(&t, produce, NULL);
	while (atomic_flag_test_and_set(&busy))
		thrd_yield();
	seen = data;
	thrd_join(t, NULL);
	return seen < 0;
}
