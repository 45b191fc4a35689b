/*
 * A sequence lock around two numbers that are always equal. Weakened, the reader's fence is missing.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int seq, a, b;

static void *writer(void *arg)
{
	atomic_store_explicit(&seq, 1, memory_order_relaxed);
	atomic_thread_fence(memory_order_release);
	atomic_store_explicit(&a, 1, memory_order_relaxed);
	atomic_store_explicit(&b, 1, memory_order_relaxed);
	atomic_store_explicit(&seq, 2, memory_order_release);
	return NULL;
}

static void *reader(void *arg)
{
	int before = atomic_load_explicit(&seq, memory_order_acquire), x, y;

	x = atomic_load_explicit(&a, memory_order_relaxed);
	y = atomic_load_explicit(&b, memory_order_relaxed);
#ifndef WEAKENED
	atomic_thread_fence(memory_order_acquire);
#endif
	if (!(before & 1) && atomic_load_explicit(&seq, memory_order_relaxed) == before)
		assert(x == y);
	return NULL;
}

int main(void)
{
	pthread_t s, t;

	pthread_create(&s, NULL, writer, NULL);
	pthread_create(&t, NULL, reader, NULL);
	pthread_join(s, NULL);
	pthread_join(t, NULL);
	return 0;
}
