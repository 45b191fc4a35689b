/*
 * The locks of isolated blocks, for fibers.
 */
#include "common/hash.h"
#include "runtime/rt.h"
#include "runtime/thread/thread.h"
#include "task.h"

struct lock {
	uintptr_t object;
	uint32_t owner; /* a fiber's number; 0: free */
	uint32_t users; /* that have it or wait for it */
	struct lock *next;
};

/* Its address is what reports call it by. */
struct {
	uint32_t owner;
	uint32_t sharers;
} everything __attribute__((visibility("hidden")));

#define BUCKETS 256u
static struct lock *locks[BUCKETS];

uintptr_t hd_isolated_all(void)
{
	return (uintptr_t)&everything;
}

/* The lock of an object; waiters wait for it. */
static uintptr_t lock_of(uintptr_t object)
{
	return object | HD_ISOLATED_TAG;
}

static void taken(uintptr_t object, uint16_t mode)
{
	uintptr_t addr = lock_of(object);

	hd_rt.soft_progress++;
	hd_rt_held_add(addr, HD_LOCK_ISOLATED | mode);
	hd_rt_event(HD_OP_ACQUIRE, addr, 0, HD_LOCK_ISOLATED | mode);
}

static void given_back(uintptr_t object, uint16_t mode)
{
	uintptr_t addr = lock_of(object);

	hd_rt_event(HD_OP_RELEASE, addr, 0, HD_LOCK_ISOLATED | mode);
	hd_rt_held_remove(addr);
	hd_rt.soft_progress++;
	hd_rt_wake_all(HD_TS_ISOLATED, addr);
}

void hd_isolated_take_all(bool shared)
{
	while (everything.owner || (!shared && everything.sharers))
		hd_rt_block(HD_TS_ISOLATED, lock_of((uintptr_t)&everything), HD_NEVER);
	if (shared)
		everything.sharers++;
	else
		everything.owner = hd_rt.cur->id;
	taken((uintptr_t)&everything, shared ? HD_LOCK_SHARED : 0);
}

void hd_isolated_give_all(bool shared)
{
	if (shared)
		everything.sharers--;
	else
		everything.owner = 0;
	given_back((uintptr_t)&everything, shared ? HD_LOCK_SHARED : 0);
}

static struct lock **find(uintptr_t object)
{
	struct lock **p = &locks[hd_hash_bits(object, 8)];

	while (*p && (*p)->object != object)
		p = &(*p)->next;
	return p;
}

void hd_isolated_take(uintptr_t object)
{
	struct lock **p = find(object), *l = *p;

	if (!l) {
		l = *p = hd_rt_alloc(sizeof(*l));
		l->object = object;
	}
	l->users++;
	while (l->owner)
		hd_rt_block(HD_TS_ISOLATED, lock_of(object), HD_NEVER);
	l->owner = hd_rt.cur->id;
	taken(object, 0);
}

void hd_isolated_give(uintptr_t object)
{
	struct lock **p = find(object), *l = *p;

	l->owner = 0;
	if (--l->users == 0) {
		*p = l->next;
		hd_rt_free(l, sizeof(*l));
	}
	given_back(object, 0);
}
