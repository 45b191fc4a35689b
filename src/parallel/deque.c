#include "deque.h"

#include "runtime/memory/arena.h"

#define FIRST_SIZE 256

static struct hd_deque_ring *new_ring(int64_t size)
{
	struct hd_deque_ring *r = hd_rt_reserve(sizeof(*r) + (size_t)size * sizeof(void *));

	if (r)
		r->size = size;
	return r;
}

bool hd_deque_init(struct hd_deque *d)
{
	*d = (struct hd_deque){ .ring = new_ring(FIRST_SIZE) };
	return d->ring != NULL;
}

bool hd_deque_grow(struct hd_deque *d, int64_t top, int64_t bottom)
{
	struct hd_deque_ring *old = d->ring, *ring = new_ring(2 * old->size);

	if (!ring)
		return false;
	for (int64_t i = top; i < bottom; i++)
		ring->items[i & (ring->size - 1)] = old->items[i & (old->size - 1)];
	ring->old = old;
	__atomic_store_n(&d->ring, ring, __ATOMIC_RELEASE);
	return true;
}
