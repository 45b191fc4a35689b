/*
 * Which locks a fiber holds: for reports, and to notice unlocks by strangers.
 */
#include "runtime/memory/arena.h"
#include "runtime/thread/thread.h"

struct hd_held *hd_rt_held_find(struct fiber *f, uintptr_t addr)
{
	for (uint32_t i = f->nheld; i-- > 0;) {
		if (f->held[i].addr == addr)
			return &f->held[i];
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
	if (f->nheld == f->held_cap) {
		uint32_t cap = f->held_cap ? 2 * f->held_cap : 8;

		f->held = hd_rt_grow(f->held, f->held_cap * sizeof(*h), cap * sizeof(*h));
		f->held_cap = cap;
	}
	f->held[f->nheld++] = (struct hd_held){ .addr = addr, .mode = mode, .depth = 1 };
}

bool hd_rt_held_remove(uintptr_t addr)
{
	struct fiber *f = hd_rt.cur;
	struct hd_held *h = hd_rt_held_find(f, addr);

	if (!h)
		return false;
	if (--h->depth == 0) {
		for (struct hd_held *end = f->held + --f->nheld; h < end; h++)
			h[0] = h[1];
	}
	return true;
}
