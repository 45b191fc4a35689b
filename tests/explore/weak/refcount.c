/*
 * A count of references: whoever drops the last one sees what the other has done. Weakened, dropping is relaxed.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifdef WEAKENED
#define DROP memory_order_relaxed
#else
#define DROP memory_order_release
#endif

static atomic_int references = 2, used[2];

static void *user(void *arg)
{
	int me = arg != NULL;

	atomic_store_explicit(&used[me], 1, memory_order_relaxed);
	if (atomic_fetch_sub_explicit(&references, 1, DROP) == 1) {
		atomic_thread_fence(memory_order_acquire);
		assert(atomic_load_explicit(&used[!me], memory_order_relaxed));
	}
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, user, NULL);
	pthread_create(&b, NULL, user, &references);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
