/*
 * Which locks a fiber holds: for reports, and to notice unlocks by strangers. A lock given back leaves a hole, and holes
 * are closed when there are more of them than locks, so that neither costs more where many are held.
 */
#include "runtime/memory/arena.h"
#include "runtime/memory/mapped_twice.h"
#include "runtime/thread/thread.h"

#define FEW 16u /* places that are looked through one by one */

static bool has_places(const struct hd_fiber_locks *l)
{
	return l->places.slots != 0;
}

static inline __attribute__((always_inline)) struct hd_held *find(struct hd_fiber_locks *l,
								  uintptr_t addr)
{

	if (has_places(l)) {
		uint64_t place = hd_map_get(&l->places, addr);

		return place ? &l->held[place - 1] : NULL;
	}
	for (uint32_t i = l->used; i-- > 0;) {
		if (l->held[i].addr == addr)
			return &l->held[i];
	}
	return NULL;
}

struct hd_held *hd_rt_held_find(struct fiber *f, uintptr_t addr)
{
	return find(&f->locks, hd_rt_name_of(addr));
}

static void note_places(struct hd_fiber_locks *l)
{
	for (uint32_t i = 0; i < l->used; i++) {
		if (l->held[i].addr)
			hd_map_set(&l->places, l->held[i].addr, i + 1);
	}
}

static void close_holes(struct hd_fiber_locks *l)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < l->used; i++) {
		if (l->held[i].addr)
			l->held[n++] = l->held[i];
	}
	l->used = n;
	if (n <= FEW)
		hd_map_free(&l->places);
	else
		note_places(l);
}

void hd_rt_held_add(uintptr_t addr, uint16_t mode)
{
	struct hd_fiber_locks *l = &hd_rt.cur->locks;
	struct hd_held *h;

	addr = hd_rt_name_of(addr);
	h = l->used ? find(l, addr) : NULL;
	if (h) {
		h->depth++;
		return;
	}
	HD_RT_ROOM(l->held, l->cap, l->used, 8);
	l->held[l->used++] = (struct hd_held){ .addr = addr, .mode = mode, .depth = 1 };
	l->n++;
	if (has_places(l))
		hd_map_set(&l->places, addr, l->used);
	else if (l->used > FEW)
		note_places(l);
}

static void give_up(struct hd_fiber_locks *l, struct hd_held *h)
{
	if (has_places(l))
		hd_map_set(&l->places, h->addr, 0);
	h->addr = 0;
	l->n--;
	while (l->used && !l->held[l->used - 1].addr)
		l->used--;
	if (l->used - l->n > l->n || (has_places(l) && !l->n))
		close_holes(l);
}

bool hd_rt_held_remove(uintptr_t addr)
{
	struct hd_fiber_locks *l = &hd_rt.cur->locks;
	struct hd_held *h;

	addr = hd_rt_name_of(addr);
	if (likely(l->used == 1 && l->held->addr == addr && l->held->depth == 1 &&
		   !has_places(l))) { /* the only one: no holes remain */
		l->held->addr = 0;
		l->used = l->n = 0;
		return true;
	}
	h = find(l, addr);
	if (!h)
		return false;
	if (--h->depth == 0)
		give_up(l, h);
	return true;
}

void hd_rt_held_forget(struct fiber *f)
{
	hd_map_free(&f->locks.places);
	hd_rt_free(f->locks.held, f->locks.cap * sizeof(*f->locks.held));
}

void hd_rt_held_each(void (*take)(enum hd_op op, uintptr_t addr, uint64_t value, uint64_t value2,
				  uint32_t size, uint16_t mode))
{
	for (struct hd_held *h = NULL; (h = hd_rt_held_next(hd_rt.cur, h));)
		take(HD_OP_ACQUIRE, h->addr, 0, 0, 0, h->mode);
}
