/*
 * The deque of Chase and Lev with two elements in it: its owner takes one, a thief steals up to two. Weakened, the owner's
 * fence is missing, and an element is had twice.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int top, bottom = 2;
static atomic_int had[2];

static void have(int i)
{
	assert(atomic_fetch_add_explicit(&had[i], 1, memory_order_relaxed) == 0);
}

static void *owner(void *arg)
{
	int b = atomic_load_explicit(&bottom, memory_order_relaxed) - 1, t;

	atomic_store_explicit(&bottom, b, memory_order_relaxed);
#ifndef WEAKENED
	atomic_thread_fence(memory_order_seq_cst);
#endif
	t = atomic_load_explicit(&top, memory_order_relaxed);
	if (t < b) {
		have(b);
		return NULL;
	}
	if (t == b && atomic_compare_exchange_strong_explicit(&top, &t, t + 1, memory_order_seq_cst,
							      memory_order_relaxed))
		have(b);
	atomic_store_explicit(&bottom, b + 1, memory_order_relaxed);
	return NULL;
}

static void steal(void)
{
	int t = atomic_load_explicit(&top, memory_order_acquire), b;

	atomic_thread_fence(memory_order_seq_cst);
	b = atomic_load_explicit(&bottom, memory_order_acquire);
	if (t < b && atomic_compare_exchange_strong_explicit(&top, &t, t + 1, memory_order_seq_cst,
							     memory_order_relaxed))
		have(t);
}

static void *thief(void *arg)
{
	steal();
	steal();
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, owner, NULL);
	pthread_create(&b, NULL, thief, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
