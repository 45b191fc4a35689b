/*
 * A flag says that data is ready. Both are atomic, but the flag is relaxed: C11 lets the reader see the
 * flag and not the data. Under sequential consistency nothing goes wrong.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int data, ready;

static void *writer(void *arg)
{
	(void)arg;
	atomic_store_explicit(&data, 42, memory_order_relaxed);
	atomic_store_explicit(&ready, 1, memory_order_relaxed); /* needs memory_order_release */
	return NULL;
}

static void *reader(void *arg)
{
	(void)arg;
	if (atomic_load_explicit(&ready, memory_order_relaxed)) /* ... and this one acquire */
		assert(atomic_load_explicit(&data, memory_order_relaxed) == 42);
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, writer, NULL);
	pthread_create(&b, NULL, reader, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
