/*
 * Something is made and published by a pointer, as with RCU. Weakened, the store of the pointer is relaxed.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifdef WEAKENED
#define PUBLISH memory_order_relaxed
#else
#define PUBLISH memory_order_release
#endif

static atomic_int configs[2] = { 1, 0 };
static atomic_int *_Atomic current = &configs[0];

static void *updater(void *arg)
{
	atomic_store_explicit(&configs[1], 2, memory_order_relaxed);
	atomic_store_explicit(&current, &configs[1], PUBLISH);
	return NULL;
}

static void *reader(void *arg)
{
	atomic_int *c = atomic_load_explicit(&current, memory_order_consume);

	assert(atomic_load_explicit(c, memory_order_relaxed) != 0);
	return NULL;
}

int main(void)
{
	pthread_t a, b, c;

	pthread_create(&a, NULL, updater, NULL);
	pthread_create(&b, NULL, reader, NULL);
	pthread_create(&c, NULL, reader, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	pthread_join(c, NULL);
	return 0;
}
