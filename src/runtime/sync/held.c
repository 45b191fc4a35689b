/*
 * Which locks a fiber holds: for reports, and to notice unlocks by strangers.
 */
#include "runtime/memory/arena.h"
#include "runtime/thread/thread.h"

struct hd_held *hd_rt_held_find(struct fiber *f, uintptr_t addr)
{
	for (uint32_t i = f->locks.n; i-- > 0;) {
		if (f->locks.held[i].addr == addr)
			return &f->locks.held[i];
	}
	return NULL;
}

void hd_rt_held_add(uintptr_t addr, uint16_t mode)
{
	struct fiber *f = hd_rt.cur;
	struct hd_held *h = hd_rt_held_find(f, addr);

	if (h) {
		h->depth++;
		return;
	}
	HD_RT_ROOM(f->locks.held, f->locks.cap, f->locks.n, 8);
	f->locks.held[f->locks.n++] = (struct hd_held){ .addr = addr, .mode = mode, .depth = 1 };
}

bool hd_rt_held_remove(uintptr_t addr)
{
	struct fiber *f = hd_rt.cur;
	struct hd_held *h = hd_rt_held_find(f, addr);

	if (!h)
		return false;
	if (--h->depth == 0) {
		for (struct hd_held *end = f->locks.held + --f->locks.n; h < end; h++)
			h[0] = h[1];
	}
	return true;
}

void hd_rt_held_each(void (*take)(enum hd_op op, uintptr_t addr, uint64_t value, uint64_t value2,
				  uint32_t size, uint16_t mode))
{
	const struct hd_fiber_locks *l = &hd_rt.cur->locks;

	for (uint32_t i = 0; i < l->n; i++)
		take(HD_OP_ACQUIRE, l->held[i].addr, 0, 0, 0, l->held[i].mode);
}
