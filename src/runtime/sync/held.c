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
	if (f->locks.n == f->locks.cap) {
		uint32_t cap = f->locks.cap ? 2 * f->locks.cap : 8;

		f->locks.held =
			hd_rt_grow(f->locks.held, f->locks.cap * sizeof(*h), cap * sizeof(*h));
		f->locks.cap = cap;
	}
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
