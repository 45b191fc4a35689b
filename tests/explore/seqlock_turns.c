/*
 * A sequence lock with one writer and two readers, who wait in two loops: too large for the search to end soon, so
 * what is tried besides is continued several times.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define ROUNDS 3

static atomic_uint sequence;
static atomic_int left, right;

static void *write_both(void *arg)
{
	for (int i = 1; i <= ROUNDS; i++) {
		atomic_fetch_add_explicit(&sequence, 1, memory_order_relaxed);
		atomic_thread_fence(memory_order_release);
		atomic_store_explicit(&left, i, memory_order_relaxed);
		atomic_store_explicit(&right, -i, memory_order_relaxed);
		atomic_fetch_add_explicit(&sequence, 1, memory_order_release);
	}
	return arg;
}

static void *read_both(void *arg)
{
	unsigned before;
	int l, r;

	do {
		do
			before = atomic_load_explicit(&sequence, memory_order_acquire);
		while (before & 1);
		l = atomic_load_explicit(&left, memory_order_relaxed);
		r = atomic_load_explicit(&right, memory_order_relaxed);
		atomic_thread_fence(memory_order_acquire);
	} while (atomic_load_explicit(&sequence, memory_order_relaxed) != before);
	assert(l == -r);
	return arg;
}

int main(void)
{
	pthread_t threads[3];

	pthread_create(&threads[0], NULL, write_both, NULL);
	pthread_create(&threads[1], NULL, read_both, NULL);
	pthread_create(&threads[2], NULL, read_both, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
