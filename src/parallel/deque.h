/*
 * A deque of tasks (Chase and Lev; with the fences of Le, Pop, Cohen and Zappa Nardelli): its owner
 * puts and takes at the bottom, others steal at the top.
 */
#ifndef HD_PARALLEL_DEQUE_H
#define HD_PARALLEL_DEQUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hd_deque_ring {
	struct hd_deque_ring *old; /* thieves may still look at it */
	int64_t size;
	void *items[];
};

struct hd_deque {
	int64_t top __attribute__((aligned(64)));
	int64_t bottom __attribute__((aligned(64)));
	struct hd_deque_ring *ring;
};

bool hd_deque_init(struct hd_deque *d); /* false: out of memory */
/* False: out of memory. */
bool hd_deque_grow(struct hd_deque *d, int64_t top, int64_t bottom);

static inline bool hd_deque_put(struct hd_deque *d, void *item)
{
	int64_t b = __atomic_load_n(&d->bottom, __ATOMIC_RELAXED);
	int64_t t = __atomic_load_n(&d->top, __ATOMIC_ACQUIRE);

	if (__builtin_expect(b - t >= d->ring->size, 0) && !hd_deque_grow(d, t, b))
		return false;
	__atomic_store_n(&d->ring->items[b & (d->ring->size - 1)], item, __ATOMIC_RELAXED);
	__atomic_store_n(&d->bottom, b + 1, __ATOMIC_RELEASE);
	return true;
}

/* The newest; NULL: there is none. */
static inline void *hd_deque_take(struct hd_deque *d)
{
	int64_t b = __atomic_load_n(&d->bottom, __ATOMIC_RELAXED) - 1, t;
	void *item = NULL;

	if (__atomic_load_n(&d->top, __ATOMIC_RELAXED) > b)
		return NULL; /* the top never sinks */
	__atomic_store_n(&d->bottom, b, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	t = __atomic_load_n(&d->top, __ATOMIC_RELAXED);
	if (t <= b) {
		item = __atomic_load_n(&d->ring->items[b & (d->ring->size - 1)], __ATOMIC_RELAXED);
		if (t < b)
			return item;
		/* The last one: thieves want it, too. */
		if (!__atomic_compare_exchange_n(&d->top, &t, t + 1, false, __ATOMIC_SEQ_CST,
						 __ATOMIC_RELAXED))
			item = NULL;
	}
	__atomic_store_n(&d->bottom, b + 1, __ATOMIC_RELAXED);
	return item;
}

/* The oldest; NULL: there is none, or somebody else was faster. */
static inline void *hd_deque_steal(struct hd_deque *d)
{
	int64_t t = __atomic_load_n(&d->top, __ATOMIC_ACQUIRE), b;
	struct hd_deque_ring *ring;
	void *item;

	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	b = __atomic_load_n(&d->bottom, __ATOMIC_ACQUIRE);
	if (t >= b)
		return NULL;
	ring = __atomic_load_n(&d->ring, __ATOMIC_ACQUIRE);
	item = __atomic_load_n(&ring->items[t & (ring->size - 1)], __ATOMIC_RELAXED);
	if (!__atomic_compare_exchange_n(&d->top, &t, t + 1, false, __ATOMIC_SEQ_CST,
					 __ATOMIC_RELAXED))
		return NULL;
	return item;
}

static inline bool hd_deque_empty(const struct hd_deque *d)
{
	return __atomic_load_n(&d->top, __ATOMIC_SEQ_CST) >=
	       __atomic_load_n(&d->bottom, __ATOMIC_SEQ_CST);
}

#endif
