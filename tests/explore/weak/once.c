/*
 * Initialisation at first use, checked twice. Weakened, the first check is relaxed.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifdef WEAKENED
#define CHECK memory_order_relaxed
#else
#define CHECK memory_order_acquire
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int ready, value;

static void *user(void *arg)
{
	if (!atomic_load_explicit(&ready, CHECK)) {
		pthread_mutex_lock(&lock);
		if (!atomic_load_explicit(&ready, memory_order_relaxed)) {
			atomic_store_explicit(&value, 5, memory_order_relaxed);
			atomic_store_explicit(&ready, 1, memory_order_release);
		}
		pthread_mutex_unlock(&lock);
	}
	assert(atomic_load_explicit(&value, memory_order_relaxed) == 5);
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, user, NULL);
	pthread_create(&b, NULL, user, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
