/*
 * A loop that looks at two places, both with older values: it may read either for a while, but not both for ever.
 *
 *   -DNEVER  nobody lets it go
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int busy = 1, turn;

static void *let_go(void *arg)
{
	atomic_store_explicit(&turn, 0, memory_order_relaxed);
#ifndef NEVER
	atomic_store_explicit(&busy, 0, memory_order_relaxed);
#endif
	return arg;
}

static void *wait(void *arg)
{
	while (atomic_load_explicit(&busy, memory_order_relaxed)) {
		if (atomic_load_explicit(&turn, memory_order_relaxed))
			break;
		sched_yield();
	}
	return arg;
}

int main(void)
{
	pthread_t s, t;

	pthread_create(&s, NULL, let_go, NULL);
	pthread_create(&t, NULL, wait, NULL);
	pthread_join(s, NULL);
	pthread_join(t, NULL);
	return 0;
}
