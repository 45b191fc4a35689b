/*
 * A ring of one producer and one consumer. Weakened, the producer's index is relaxed.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifdef WEAKENED
#define PUT memory_order_relaxed
#else
#define PUT memory_order_release
#endif

static atomic_int slots[2];
static atomic_uint written, taken;

static void *producer(void *arg)
{
	for (unsigned i = 0; i < 2; i++) {
		atomic_store_explicit(&slots[i], 10 + (int)i, memory_order_relaxed);
		atomic_store_explicit(&written, i + 1, PUT);
	}
	return NULL;
}

static void *consumer(void *arg)
{
	unsigned n = atomic_load_explicit(&written, memory_order_acquire);

	for (unsigned i = 0; i < n; i++) {
		assert(atomic_load_explicit(&slots[i], memory_order_relaxed) == 10 + (int)i);
		atomic_store_explicit(&taken, i + 1, memory_order_release);
	}
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, producer, NULL);
	pthread_create(&b, NULL, consumer, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
