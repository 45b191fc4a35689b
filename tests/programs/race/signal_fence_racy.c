/*
 * Fences for the compiler only order nothing between threads.
 *
 * RUN: run --seed 1..5
 * EXPECT: race 'data' @produce @main
 */
#include "../program.h"
#include <stdatomic.h>

static atomic_int flag;
int data; /* not static: the compiler must not know all its values */

static void *produce(void *arg)
{
	data = 42;
	atomic_signal_fence(memory_order_release);
	atomic_store_explicit(&flag, 1, memory_order_relaxed);
	return NULL;
}

int main(void)
{
	pthread_t t = start(produce, NULL);
	int seen;

	while (!atomic_load_explicit(&flag, memory_order_relaxed))
		;
	atomic_signal_fence(memory_order_acquire);
	seen = data;
	finish(t);
	return seen < 0;
}
