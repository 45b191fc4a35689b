/*
 * The locks of isolated blocks, for workers. Blocks do not wait for anything inside, so whoever
 * wants one spins; after a long time it lets other tasks run, since somebody may be wrong about that.
 */
#include "common/hash.h"
#include "runtime/spin_lock.h"
#include "worker.h"

#define SPINS  400u
#define YIELDS 10000u

/* -1: taken by one; else how many share it. */
struct {
	int state;
} everything __attribute__((visibility("hidden"), aligned(64)));

struct lock {
	uintptr_t object;
	bool taken;
	uint32_t users; /* that have it or wait for it */
	struct lock *next;
};

#define BUCKETS 256u
static struct bucket {
	int spin;
	struct lock *locks;
} buckets[BUCKETS] __attribute__((aligned(64)));

static void wait_a_bit(unsigned *n)
{
	if (++*n < SPINS)
		__builtin_ia32_pause();
	else if (*n < YIELDS)
		hd_par_pause();
	else
		hd_par_yield();
}

uintptr_t hd_isolated_all(void)
{
	return (uintptr_t)&everything;
}

static void tell(enum hd_op op, uintptr_t object, bool shared)
{
	hd_carrier_event(op, object | HD_ISOLATED_TAG, 0,
			 (uint16_t)(HD_LOCK_ISOLATED | (shared ? HD_LOCK_SHARED : 0)));
}

void hd_isolated_take_all(bool shared)
{
	unsigned n = 0;

	for (;;) {
		int now = __atomic_load_n(&everything.state, __ATOMIC_RELAXED);

		if ((shared ? now >= 0 : now == 0) &&
		    __atomic_compare_exchange_n(&everything.state, &now, shared ? now + 1 : -1,
						true, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			break;
		wait_a_bit(&n);
	}
	tell(HD_OP_ACQUIRE, (uintptr_t)&everything, shared);
}

void hd_isolated_give_all(bool shared)
{
	tell(HD_OP_RELEASE, (uintptr_t)&everything, shared);
	if (shared)
		__atomic_fetch_sub(&everything.state, 1, __ATOMIC_RELEASE);
	else
		__atomic_store_n(&everything.state, 0, __ATOMIC_RELEASE);
}

static struct lock **find(struct bucket *b, uintptr_t object)
{
	struct lock **p = &b->locks;

	while (*p && (*p)->object != object)
		p = &(*p)->next;
	return p;
}

static struct bucket *enter(uintptr_t object)
{
	struct bucket *b = &buckets[hd_hash_bits(object, 8)];

	hd_spin_lock(&b->spin);
	return b;
}

static void leave(struct bucket *b)
{
	hd_spin_unlock(&b->spin);
}

void hd_isolated_take(uintptr_t object)
{
	struct bucket *b = enter(object);
	struct lock **p = find(b, object), *l = *p;
	unsigned n = 0;

	if (!l) {
		l = *p = hd_par_alloc(sizeof(*l));
		l->object = object;
	}
	l->users++;
	while (l->taken) {
		leave(b);
		wait_a_bit(&n);
		enter(object);
	}
	l->taken = true;
	leave(b);
	tell(HD_OP_ACQUIRE, object, false);
}

void hd_isolated_give(uintptr_t object)
{
	struct bucket *b;
	struct lock **p, *l;

	tell(HD_OP_RELEASE, object, false);
	b = enter(object);
	p = find(b, object);
	l = *p;
	l->taken = false;
	if (--l->users == 0) {
		*p = l->next;
		hd_par_free(l, sizeof(*l));
	}
	leave(b);
}
