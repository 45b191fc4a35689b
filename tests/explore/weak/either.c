/*
 * A loop that waits for either of two flags, which another thread has set: it may see either first, or both. Its exit
 * status says which.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int a, b;

static void *set(void *arg)
{
	atomic_store_explicit(&a, 1, memory_order_relaxed);
	atomic_store_explicit(&b, 1, memory_order_relaxed);
	return arg;
}

int main(void)
{
	pthread_t t;
	int x, y;

	pthread_create(&t, NULL, set, NULL);
	do {
		x = atomic_load_explicit(&a, memory_order_relaxed);
		y = atomic_load_explicit(&b, memory_order_relaxed);
	} while (!x && !y);
	pthread_join(t, NULL);
	return x + 2 * y;
}
