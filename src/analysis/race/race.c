#include "race_impl.h"

#include <stdlib.h>

/* ---- accesses ------------------------------------------------------------ */

/*
 * The common case of hd_race_touch(): the whole cell, nothing special about it, all that went
 * before is ordered, and no lockset runs empty. Then only this access is left.
 */
static inline bool takes_over(struct hd_race *r, struct hd_race_access *a, struct hd_cell *c,
			      struct hd_cell_more *m, uint64_t tag)
{
	enum hd_race_state state = m->lockset & ((1u << HD_RACE_STATE_BITS) - 1);
	hd_lockset set = m->lockset >> HD_RACE_STATE_BITS;
	hd_lockset mine = a->write ? a->who.exclusive : a->who.locks;

	if (m->extra || !hd_race_before(a->who.full, c->write) ||
	    !hd_race_before(a->who.full, c->read))
		return false;
	if (hd_race_before(a->who.weak, c->write) && hd_race_before(a->who.weak, c->read)) {
		if (state != HD_RACE_TOLD) {
			state = a->write ? HD_RACE_EXCLUSIVE_WRITE : HD_RACE_EXCLUSIVE_READ;
			set = mine;
		}
	} else if (state != HD_RACE_TOLD) {
		bool reads_only = state == HD_RACE_EXCLUSIVE_READ || state == HD_RACE_SHARED_READ;

		if (~(c->write | c->read) & HD_TAG_BYTES)
			return false; /* not all of it has a history */

		if (set != mine)
			set = hd_lockset_meet(r->sets, set, mine);
		state = reads_only && !a->write ? HD_RACE_SHARED_READ : HD_RACE_SHARED_WRITE;
		if (state == HD_RACE_SHARED_WRITE && set == HD_LOCKSET_EMPTY)
			return false; /* to be told */
	}
	m->lockset = state | set << HD_RACE_STATE_BITS;
	if (a->write) {
		*c = (struct hd_cell){ .write = tag };
		m->write_site = hd_race_site_of(r, a);
	} else {
		c->read = tag;
		m->read_site = hd_race_site_of(r, a);
	}
	return true;
}

/* Bytes of four, on a page that is divided. */
static void access_cell(struct hd_race *r, struct hd_race_access *a, struct hd_shadow_page *p,
			uint64_t addr, uint64_t bytes, bool wide)
{
	uint64_t cell_addr = addr & ~3ull, tag = a->who.epoch | bytes | (wide ? HD_TAG_WIDE : 0);
	struct hd_shadow_cell *c = hd_shadow_cell_at(p, addr);

	if (!a->atomic && bytes == HD_TAG_BYTES && takes_over(r, a, &c->tags, &c->more, tag))
		return;
	hd_race_touch(r, a, cell_addr, &c->tags, &c->more, tag);
	if (a->atomic)
		hd_race_put_atomic(r, a, cell_addr, &c->more, tag);
	else if (c->more.extra & HD_EXTRA_ATOMIC)
		hd_race_check_atomics(r, a, cell_addr, bytes);
}

/* The first of the bytes from @addr to @end, as many as one cell has. Returns where the next are. */
static uint64_t access_first(struct hd_race *r, struct hd_race_access *a, uint64_t addr,
			     uint64_t end, bool wide)
{
	struct hd_shadow_page *p = hd_shadow_get(&r->shadow, addr);
	uint64_t next = (addr & ~3ull) + 4, bytes = HD_TAG_BYTES;

	if (!p) {
		r->failed = true;
		return end;
	}
	hd_shadow_spread(p);
	if (!p->odd && !(addr & 7) && end - addr >= 8 && !a->atomic) {
		struct hd_shadow_cell *c = hd_shadow_cell_at(p, addr);

		if (!takes_over(r, a, &c->tags, &c->more, a->who.epoch | HD_TAG_BYTES))
			hd_race_touch(r, a, addr, &c->tags, &c->more, a->who.epoch | HD_TAG_BYTES);
		return addr + 8;
	}
	if (!hd_race_divide(r, p))
		return end;
	bytes = bytes << (addr & 3) & HD_TAG_BYTES;
	if (next > end)
		bytes &= HD_TAG_BYTES >> (next - end);
	access_cell(r, a, p, addr, bytes, wide);
	return next;
}

/* A whole page by one access, if it was last touched like that too. */
static bool access_page(struct hd_race *r, struct hd_race_access *a, uint64_t addr)
{
	struct hd_shadow_page *p = hd_shadow_find(&r->shadow, addr);

	if (!p) {
		p = hd_shadow_get(&r->shadow, addr);
		if (!p)
			return false;
		p->uniform = true;
		p->all = (struct hd_shadow_cell){ 0 };
	}
	/* A table of readers cannot be shared by hundreds of cells: those are spread. */
	if (!p->uniform || (!a->write && p->all.tags.read &&
			    hd_race_slot(p->all.tags.read) != hd_race_slot(a->who.epoch) &&
			    !hd_race_before(a->who.full, p->all.tags.read)))
		return false;
	hd_race_touch(r, a, addr, &p->all.tags, &p->all.more, a->who.epoch | HD_TAG_BYTES);
	return true;
}

void hd_race_access_range(struct hd_race *r, struct hd_race_access *a, uint64_t addr, uint64_t len)
{
	bool wide = len == 8 && !(addr & 7);
	uint64_t end = addr + len;

	while (addr < end) {
		if (!(addr & 4095) && end - addr >= 4096 && !a->atomic && access_page(r, a, addr))
			addr += 4096;
		else
			addr = access_first(r, a, addr, end, wide && !(addr & 7));
	}
}

static inline bool hd_race_who_is(struct hd_race *r, uint32_t thread, struct hd_race_who *w)
{
	struct hd_race_thread *t = hd_race_thread_at(r, thread);
	struct hd_hb_now now = hd_hb_now(r->hb, thread);

	if (!t || !now.slot)
		return false;
	/* One by one: a literal would be put together elsewhere first, and copied. */
	w->full = now.full;
	w->weak = now.weak;
	w->locks = t->locks;
	w->exclusive = t->exclusive;
	w->epoch = (uint64_t)now.full->at[now.slot] << 32 | (uint64_t)now.slot << 12;
	return true;
}

bool hd_race_access_of(struct hd_race *r, struct hd_race_access *a, const struct hd_event *ev,
		       uint64_t index)
{
	*a = (struct hd_race_access){ .ev = ev, .index = index };
	return hd_race_who_is(r, ev->thread, &a->who);
}

static bool plain_access(struct hd_race *r, const struct hd_event *ev, uint64_t index, bool write)
{
	bool range = ev->op == HD_OP_READ_RANGE || ev->op == HD_OP_WRITE_RANGE;
	struct hd_race_access a;

	if (!hd_race_access_of(r, &a, ev, index))
		return false;
	a.write = write;
	hd_race_access_range(r, &a, ev->addr, range ? ev->value : ev->size);
	return !r->failed;
}

/*
 * The access happens before what the operation releases and after what it
 * acquires: so it has the thread's time from before, and is compared with the
 * clocks from after.
 */
static bool atomic_access(struct hd_race *r, const struct hd_event *ev, uint64_t index)
{
	struct hd_race_access a;
	uint64_t epoch;

	if (!hd_race_access_of(r, &a, ev, index))
		return false;
	epoch = a.who.epoch;
	if (!hd_hb_event(r->hb, ev) || !hd_race_access_of(r, &a, ev, index))
		return false;
	a.who.epoch = epoch;
	a.atomic = true;
	a.write = ev->op == HD_OP_ATOMIC_STORE || ev->op == HD_OP_ATOMIC_RMW;
	hd_race_access_range(r, &a, ev->addr, ev->size);
	return !r->failed;
}

/* ---- events -------------------------------------------------------------- */

static bool lock_event(struct hd_race *r, const struct hd_event *ev)
{
	struct hd_race_thread *t = hd_race_thread_at(r, ev->thread);

	if (!t)
		return false;
	if (ev->arg & HD_LOCK_AGAIN)
		return true;
	if (ev->op == HD_OP_ACQUIRE)
		t->locks =
			hd_lockset_with(r->sets, t->locks, ev->addr, !(ev->arg & HD_LOCK_SHARED));
	else
		t->locks = hd_lockset_without(r->sets, t->locks, ev->addr);
	t->exclusive = hd_lockset_exclusive(r->sets, t->locks);
	return hd_hb_event(r->hb, ev) && !hd_locksets_failed(r->sets);
}

static bool construct_event(struct hd_race *r, const struct hd_event *ev)
{
	struct hd_race_thread *t = hd_race_thread_at(r, ev->thread);
	struct hd_race_who now;

	return t && hd_hb_event(r->hb, ev) && hd_race_who_is(r, ev->thread, &now) &&
	       hd_within_note(&t->within, &r->constructs, ev, (uint32_t)(now.epoch >> 32));
}

bool hd_race_event(struct hd_race *r, const struct hd_event *ev, uint64_t index)
{
	switch (ev->op) {
	case HD_OP_READ:
	case HD_OP_READ_RANGE:
		return plain_access(r, ev, index, false);
	case HD_OP_WRITE:
	case HD_OP_WRITE_RANGE:
		return plain_access(r, ev, index, true);
	case HD_OP_ATOMIC_LOAD:
	case HD_OP_ATOMIC_STORE:
	case HD_OP_ATOMIC_RMW:
	case HD_OP_ATOMIC_CAS_FAIL:
		return atomic_access(r, ev, index);
	case HD_OP_ACQUIRE:
	case HD_OP_RELEASE:
		return lock_event(r, ev);
	case HD_OP_ALLOC:
	case HD_OP_FREE:
		hd_race_memory_event(r, ev, index);
		return !r->failed;
	case HD_OP_CONSTRUCT:
	case HD_OP_ITERATION:
		return construct_event(r, ev);
	default:
		return hd_hb_event(r->hb, ev);
	}
}

uint64_t hd_race_merged(const struct hd_race *r)
{
	return r->merged;
}

struct hd_race_view hd_race_view_of(struct hd_race *r, uint32_t thread)
{
	if (!hd_race_who_is(r, thread, &r->who))
		r->failed = true;
	return (struct hd_race_view){ .pages = r->shadow.direct, .epoch = r->who.epoch };
}

/* Do two halves have the same history, so that one look serves both? */
static inline bool same_history(const struct hd_shadow_cell *even, const struct hd_shadow_cell *odd)
{
	const struct hd_cell *a = &even->tags, *b = &odd->tags;
	const struct hd_cell_more *m = &even->more, *n = &odd->more;

	return a->write == (b->write | (a->write & HD_TAG_WIDE)) &&
	       a->read == (b->read | (a->read & HD_TAG_WIDE)) && !m->extra && !n->extra &&
	       m->lockset == n->lockset && m->write_site == n->write_site &&
	       m->read_site == n->read_site;
}

/* A cell, all of it. */
static inline void access_whole(struct hd_race *r, struct hd_race_access *a,
				struct hd_shadow_cell *c, uint64_t tag)
{
	if (!takes_over(r, a, &c->tags, &c->more, tag))
		hd_race_touch(r, a, a->ev->addr, &c->tags, &c->more, tag);
}

/* Eight bytes on a page that is divided, whose halves have the same history. */
static void access_halves(struct hd_race *r, struct hd_race_access *a, struct hd_shadow_cell *even,
			  struct hd_shadow_cell *odd)
{
	access_whole(r, a, even, a->who.epoch | HD_TAG_BYTES | HD_TAG_WIDE);
	if (even->more.extra) { /* grew a table of readers: the other one needs its own */
		hd_race_touch(r, a, a->ev->addr + 4, &odd->tags, &odd->more,
			      a->who.epoch | HD_TAG_BYTES);
		return;
	}
	*odd = *even;
	odd->tags.write &= ~HD_TAG_WIDE;
	odd->tags.read &= ~HD_TAG_WIDE;
}

bool hd_race_plain(struct hd_race *r, const struct hd_event *ev)
{
	struct hd_race_access a = {
		.ev = ev, .index = HD_NO_INDEX, .who = r->who, .write = ev->op == HD_OP_WRITE
	};
	struct hd_shadow_page *p = hd_shadow_find(&r->shadow, ev->addr);
	struct hd_shadow_cell *c;

	if (!p || p->uniform || (ev->size != 8 && (ev->size != 4 || !p->odd)) ||
	    (ev->addr & (ev->size - 1))) {
		hd_race_access_range(r, &a, ev->addr, ev->size);
		return !r->failed;
	}
	c = hd_shadow_cell_at(p, ev->addr);
	if (ev->size == 8 && !p->odd)
		access_whole(r, &a, c, a.who.epoch | HD_TAG_BYTES);
	else if (ev->size == 8 && same_history(c, hd_shadow_cell_at(p, ev->addr + 4)))
		access_halves(r, &a, c, hd_shadow_cell_at(p, ev->addr + 4));
	else if (ev->size == 8 ||
		 !takes_over(r, &a, &c->tags, &c->more, a.who.epoch | HD_TAG_BYTES))
		hd_race_access_range(r, &a, ev->addr, ev->size);
	return !r->failed;
}

#define SLOT_BITS (0xfffffull << 12)

/* Is what @tag names ordered before the thread's access, by all that orders and by what always does? */
static inline bool is_before(const struct hd_race_who *w, uint64_t tag, bool *weak)
{
	if (!tag || ((tag ^ w->epoch) & SLOT_BITS) == 0)
		return true;
	*weak = *weak && hd_race_before(w->weak, tag);
	return hd_race_before(w->full, tag);
}

/*
 * What the lockset machine makes of an access to a whole cell that is ordered after all others, and
 * of which there is nothing special to be said; 0: it is not so simple.
 */
static inline uint32_t simple_step(const struct hd_race_who *w, const struct hd_shadow_cell *c,
				   bool write)
{
	enum hd_race_state state = c->more.lockset & ((1u << HD_RACE_STATE_BITS) - 1);
	hd_lockset set = c->more.lockset >> HD_RACE_STATE_BITS;
	hd_lockset mine = write ? w->exclusive : w->locks;
	bool weak = true, reads_only;

	if (c->more.extra || !is_before(w, c->tags.write, &weak) ||
	    !is_before(w, c->tags.read, &weak))
		return 0;
	if (state == HD_RACE_TOLD)
		return c->more.lockset;
	if (weak)
		return mine << HD_RACE_STATE_BITS |
		       (write ? HD_RACE_EXCLUSIVE_WRITE : HD_RACE_EXCLUSIVE_READ);
	reads_only = !write && (state == HD_RACE_EXCLUSIVE_READ || state == HD_RACE_SHARED_READ);
	if ((~(c->tags.write | c->tags.read) & HD_TAG_BYTES) || set != mine ||
	    (!reads_only && set == HD_LOCKSET_EMPTY))
		return 0;
	return set << HD_RACE_STATE_BITS |
	       (reads_only ? HD_RACE_SHARED_READ : HD_RACE_SHARED_WRITE);
}

static inline void put_simple(struct hd_shadow_cell *c, bool write, uint64_t tag, uint32_t site,
			      uint32_t lockset)
{
	if (write)
		c->tags = (struct hd_cell){ .write = tag };
	else
		c->tags.read = tag;
	*(write ? &c->more.write_site : &c->more.read_site) = site;
	c->more.lockset = lockset;
}

/* The site of such an access if it is the last one of its place; 0: it is not. */
static inline uint32_t simple_site(const struct hd_race *r, unsigned size, bool write, uint64_t pc,
				   uint32_t ctx)
{
	const struct hd_race_who *w = &r->who;
	uint32_t site = r->site_cache[hd_race_site_place(pc, ctx, w->locks)];
	const struct hd_race_site *s = &r->sites[site];

	return s->pc == pc && s->ctx == ctx && s->locks == w->locks && s->size == size && !s->arg &&
			       s->op == (write ? HD_OP_WRITE : HD_OP_READ) &&
			       w->locks <= HD_RACE_MAX_SET
		       ? site
		       : 0;
}

/* A cell, or the two of eight bytes; @odd: NULL, or the second. */
static inline bool simple_cells(const struct hd_race_who *w, struct hd_shadow_cell *c,
				struct hd_shadow_cell *odd, bool write, uint32_t site)
{
	uint32_t first = simple_step(w, c, write), second = 0;

	if (!first || (odd && !(second = simple_step(w, odd, write))))
		return false;
	put_simple(c, write, w->epoch | HD_TAG_BYTES | (odd ? HD_TAG_WIDE : 0), site, first);
	if (odd)
		put_simple(odd, write, w->epoch | HD_TAG_BYTES, site, second);
	return true;
}

bool hd_race_simple(struct hd_race *r, uint64_t addr, unsigned size, bool write, uint64_t pc,
		    uint32_t ctx)
{
	struct hd_shadow_page *p = r->shadow.direct[addr >> HD_PAGE_LOG & (HD_DIRECT_PAGES - 1)];
	struct hd_shadow_cell *c;
	uint32_t site;

	if (!p || p->uniform || addr >> HD_PAGE_LOG >= HD_DIRECT_PAGES)
		return false;
	c = hd_shadow_cell_at(p, addr);
	if (hd_race_cell_seen(&c->tags, p->odd != NULL, r->who.epoch, addr, size, write))
		return true;
	if (size < 4 || (size == 4 && !p->odd))
		return false;
	site = simple_site(r, size, write, pc, ctx);
	return site &&
	       simple_cells(&r->who, c, size == 8 && p->odd ? hd_shadow_cell_at(p, addr + 4) : NULL,
			    write, site);
}

/* ---- many side by side ----------------------------------------------------- */

/* What hd_race_simple_run() knows of its accesses. */
struct sweep {
	const struct hd_race_sweep *of;
	const struct hd_race_who *who;
	uint32_t read_site, write_site;
	struct hd_shadow_cell last, becomes; /* what the last cell was, and what was made of it */
};

/* All of a page, from its begin, in one way. */
static bool sweep_page(struct hd_race *r, uint64_t addr, const struct hd_race_sweep *s, bool write)
{
	struct hd_event ev = { .addr = addr,
			       .size = s->size,
			       .op = write ? HD_OP_WRITE : HD_OP_READ,
			       .pc = write ? s->write_pc : s->read_pc,
			       .ctx = s->ctx };
	struct hd_race_access a = {
		.ev = &ev, .index = HD_NO_INDEX, .who = r->who, .write = write
	};

	return access_page(r, &a, addr);
}

/* Neighbours mostly have the same history. */
static inline bool is_like(const struct hd_shadow_cell *a, const struct hd_shadow_cell *b)
{
	return a->tags.write == b->tags.write && a->tags.read == b->tags.read &&
	       a->more.lockset == b->more.lockset && a->more.extra == b->more.extra;
}

/* What is made of a cell like @s->last, of which all is accessed; false: it is not simple. */
static bool sweep_new(struct sweep *s)
{
	struct hd_shadow_cell c = s->last;
	uint64_t tag = s->who->epoch | HD_TAG_BYTES;
	uint32_t step;

	if (s->of->read) {
		step = simple_step(s->who, &c, false);
		if (!step)
			return false;
		put_simple(&c, false, tag, s->read_site, step);
	}
	if (s->of->write) {
		step = simple_step(s->who, &c, true);
		if (!step)
			return false;
		put_simple(&c, true, tag, s->write_site, step);
	}
	s->becomes = c;
	return true;
}

/* @wide: of an access of eight bytes, on a page that is divided: its first half. */
static inline bool sweep_cell(struct sweep *s, struct hd_shadow_cell *c, bool wide)
{
	if (!is_like(c, &s->last) || !s->becomes.more.lockset) {
		s->last = *c;
		s->becomes.more.lockset = 0; /* nothing yet */
		if (!sweep_new(s)) {
			s->becomes.more.lockset = 0;
			return false;
		}
	}
	c->tags = s->becomes.tags;
	c->more.lockset = s->becomes.more.lockset;
	if (s->of->write)
		c->more.write_site = s->write_site;
	if (s->of->read)
		c->more.read_site = s->read_site;
	if (wide)
		*(s->of->write ? &c->tags.write : &c->tags.read) |= HD_TAG_WIDE;
	return true;
}

/* Both halves of eight bytes on a page that is divided, or none. */
static bool sweep_halves(struct sweep *s, struct hd_shadow_cell *even, struct hd_shadow_cell *odd)
{
	struct hd_shadow_cell before = *even;

	if (!sweep_cell(s, even, true))
		return false;
	if (sweep_cell(s, odd, false))
		return true;
	*even = before;
	return false;
}

/* In a page: from @at to @stop, as far as it is simple. Returns where it ends. */
static uint64_t sweep_in(struct sweep *s, struct hd_shadow_page *p, uint64_t at, uint64_t stop)
{
	bool wide = s->of->size == 8;
	struct hd_shadow_cell *c;

	if (!p->odd) { /* all eight bytes of a cell are accessed, in however many steps */
		if (at & 7)
			return at;
		for (c = hd_shadow_cell_at(p, at); at + 8 <= stop; at += 8, c++) {
			if (!sweep_cell(s, c, false))
				break;
		}
		return at;
	}
	for (; at < stop; at += wide ? 8 : 4) {
		c = hd_shadow_cell_at(p, at);
		if (wide ? !sweep_halves(s, c, hd_shadow_cell_at(p, at + 4))
			 : !sweep_cell(s, c, false))
			break;
	}
	return at;
}

size_t hd_race_simple_run(struct hd_race *r, uint64_t addr, size_t len,
			  const struct hd_race_sweep *of)
{
	struct sweep s = { .of = of, .who = &r->who };
	uint64_t at = addr, end = addr + len;

	s.read_site = of->read ? simple_site(r, of->size, false, of->read_pc, of->ctx) : 0;
	s.write_site = of->write ? simple_site(r, of->size, true, of->write_pc, of->ctx) : 0;
	if ((of->read && !s.read_site) || (of->write && !s.write_site))
		return 0;
	while (at < end && at >> HD_PAGE_LOG < HD_DIRECT_PAGES) {
		struct hd_shadow_page *p = r->shadow.direct[at >> HD_PAGE_LOG];
		uint64_t stop = (at | 4095) + 1 < end ? (at | 4095) + 1 : end;

		if ((!p || p->uniform) && !(at & 4095) && stop - at == 4096 &&
		    (!of->read || sweep_page(r, at, of, false)) &&
		    (!of->write || sweep_page(r, at, of, true))) {
			at = stop;
			continue;
		}
		if (!p || p->uniform)
			break;
		at = sweep_in(&s, p, at, stop);
		if (at < stop)
			break;
	}
	return (at - addr) & ~(uint64_t)7;
}

struct hd_race *hd_race_new(const struct hd_race_options *o, hd_found_fn *found, void *arg)
{
	struct hd_race *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->options = *o;
	r->found = found;
	r->arg = arg;
	r->atomics.record_size = sizeof(struct hd_race_atomics);
	r->hb = hd_hb_new();
	r->sets = hd_locksets_new();
	r->nsites = r->nreaders = r->nsplits = 1; /* number 0 means none */
	if (r->hb && r->sets && hd_shadow_init(&r->shadow, o->direct) &&
	    HD_RACE_ROOM(r, r->sites, r->sites_cap, 2) &&
	    HD_RACE_ROOM(r, r->readers, r->readers_cap, 2) &&
	    HD_RACE_ROOM(r, r->splits, r->splits_cap, 2))
		return r;
	hd_race_free(r);
	return NULL;
}

void hd_race_free(struct hd_race *r)
{
	if (!r)
		return;
	for (uint32_t i = 0; i < r->nreaders; i++)
		free(r->readers ? r->readers[i].by_slot : NULL);
	hd_addr_map_free(&r->atomics, hd_race_drop_atomics);
	hd_shadow_free(&r->shadow);
	hd_hb_free(r->hb);
	hd_locksets_free(r->sets);
	for (uint32_t i = 0; i < r->nthreads; i++)
		free(r->threads[i].within.runs);
	free(r->threads);
	hd_intern_free(&r->constructs);
	free(r->sites);
	free(r->chains);
	free(r->readers);
	free(r->splits);
	free(r->told);
	free(r);
}
