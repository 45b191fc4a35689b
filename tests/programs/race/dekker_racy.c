/*
 * The same with relaxed operations. Seen when both threads get in, one after the other.
 *
 * RUN: run
 * EXPECT: race 'total' @enter within 10 seeds
 */
#include "../program.h"
#include <stdatomic.h>

static atomic_int wants[2];
static int total;

static void *enter(void *arg)
{
	int me = (int)(intptr_t)arg;

	for (int i = 0; i < 3; i++) {
		atomic_store_explicit(&wants[me], 1, memory_order_relaxed);
		if (!atomic_load_explicit(&wants[1 - me], memory_order_relaxed))
			total++;
		atomic_store_explicit(&wants[me], 0, memory_order_relaxed);
	}
	return NULL;
}

int main(void)
{
	pthread_t a = start(enter, (void *)0), b = start(enter, (void *)1);

	finish(a);
	finish(b);
	return total > 6;
}
