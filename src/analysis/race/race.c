#include "race.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/addr_map.h"
#include "analysis/hb.h"
#include "analysis/locks/lockset.h"
#include "analysis/within_log.h"

/* ---- what is kept -------------------------------------------------------- */

/* How an access was made: interned, so that a cell needs only its number. */
struct site {
	uint64_t pc;
	uint32_t ctx;
	hd_lockset locks;
	uint16_t arg;
	uint8_t op, size;
	uint32_t next; /* in the hash chain */
};

/*
 * The last read of a location by each thread but the latest, whose is in the cell,
 * where several read it in parallel.
 */
struct readers {
	struct reader {
		uint64_t tag;
		uint32_t site;
	} *by_slot;
	uint32_t len;
	uint32_t next_free;
};

/* A cell whose bytes differ. */
struct split {
	struct hd_cell cells[4];
	struct hd_cell_more more[4];
	uint32_t next_free;
};

/* Atomic accesses to a cell: the last of each thread and kind. */
struct atomics {
	struct atomic_access {
		uint64_t tag;
		uint32_t site;
		bool write;
	} *list;
	uint32_t n, cap;
};

/* hd_cell_more.extra: flags, and the number of a table of earlier readers or of a split. */
enum { ATOMIC_HERE = 1u << 31, IS_SPLIT = 1u << 30, EXTRA_NUMBER = IS_SPLIT - 1 };

/* The states of the lockset machine; what is left of the word is the candidate set. */
enum state { NEW, EXCLUSIVE_READ, EXCLUSIVE_WRITE, SHARED_READ, SHARED_WRITE, TOLD };
#define STATE_BITS 3u
#define MAX_SET    ((1u << (32 - STATE_BITS)) - 1)

struct thread {
	hd_lockset locks, exclusive; /* all, and those not shared with readers */
	struct hd_within_log within; /* by its time */
};

#define SITE_CACHE 4096u

/* A thread at a time: what its accesses are compared by. */
struct who {
	uint64_t epoch;
	const struct hd_vclock *full, *weak;
	hd_lockset locks, exclusive;
};

struct hd_race {
	struct hd_race_options options;
	hd_found_fn *found;
	void *arg;
	struct hd_hb *hb;
	struct hd_locksets *sets;
	struct hd_shadow shadow;
	struct hd_addr_map atomics; /* by cell address + 1 */

	struct thread *threads;
	uint32_t nthreads;
	struct hd_intern constructs;

	struct site *sites; /* from 1 */
	uint32_t nsites, sites_cap;
	uint32_t *chains;
	uint32_t nchains;
	uint32_t site_cache[SITE_CACHE]; /* the last site of a pc with these locks */

	struct readers *readers; /* from 1 */
	uint32_t nreaders, readers_cap, free_readers;
	struct split *splits; /* from 1 */
	uint32_t nsplits, splits_cap, free_splits;

	struct told {
		uint64_t a, b;
		enum hd_kind kind;
	} *told; /* open addressing */
	uint32_t ntold, told_cap;
	uint64_t merged;
	bool failed;
	struct who who; /* whose accesses hd_race_plain() is told of */
};

/* The access being looked at. */
struct now {
	const struct hd_event *ev;
	uint64_t index;
	struct who who;
	uint32_t site; /* 0: not interned yet */
	bool write, atomic;
};

/* ---- growing tables ------------------------------------------------------ */

/* Room for one more record of @size bytes in *@table; false: out of memory. */
static bool make_room(struct hd_race *r, void *table, uint32_t n, uint32_t *cap, size_t size)
{
	void **t = table;
	uint32_t bigger = *cap ? 2 * *cap : 64;
	void *p;

	if (n < *cap)
		return true;
	p = realloc(*t, bigger * size);
	if (!p) {
		r->failed = true;
		return false;
	}
	memset((char *)p + *cap * size, 0, (bigger - *cap) * size);
	*t = p;
	*cap = bigger;
	return true;
}

static struct thread *thread_at(struct hd_race *r, uint32_t number)
{
	while (number >= r->nthreads) {
		uint32_t cap = r->nthreads;

		if (!make_room(r, &r->threads, r->nthreads, &cap, sizeof(*r->threads)))
			return NULL;
		r->nthreads = cap;
	}
	return &r->threads[number];
}

/* ---- sites --------------------------------------------------------------- */

static uint64_t site_hash(const struct hd_event *ev, hd_lockset locks)
{
	uint64_t h = ev->pc * 0x9e3779b97f4a7c15ull;

	h ^= ((uint64_t)ev->ctx << 32 | locks) * 0xc2b2ae3d27d4eb4full;
	h ^= (uint64_t)ev->op << 8 ^ ev->size;
	return h ^ h >> 29;
}

static bool rehash(struct hd_race *r)
{
	uint32_t n = r->nchains ? 2 * r->nchains : 1024;
	uint32_t *chains = calloc(n, sizeof(*chains));

	if (!chains) {
		r->failed = true;
		return false;
	}
	for (uint32_t i = 1; i < r->nsites; i++) {
		struct site *s = &r->sites[i];
		struct hd_event ev = { .pc = s->pc, .ctx = s->ctx, .op = s->op, .size = s->size };
		uint32_t *chain = &chains[site_hash(&ev, s->locks) & (n - 1)];

		s->next = *chain;
		*chain = i;
	}
	free(r->chains);
	r->chains = chains;
	r->nchains = n;
	return true;
}

static bool site_is(const struct site *s, const struct hd_event *ev, hd_lockset locks, uint8_t size)
{
	return s->pc == ev->pc && s->ctx == ev->ctx && s->locks == locks && s->op == ev->op &&
	       s->size == size && s->arg == ev->arg;
}

static uint32_t site_of(struct hd_race *r, struct now *a)
{
	const struct hd_event *ev = a->ev;
	uint8_t size = ev->size > 255 ? 0 : (uint8_t)ev->size;
	struct hd_event key = { .pc = ev->pc, .ctx = ev->ctx, .op = ev->op, .size = size };
	uint32_t i, *chain;
	uint32_t *cached = &r->site_cache[(ev->pc ^ a->who.locks * 61) & (SITE_CACHE - 1)];

	if (a->site)
		return a->site;
	if (site_is(&r->sites[*cached], ev, a->who.locks, size))
		return a->site = *cached;
	if (r->nsites >= r->nchains && !rehash(r))
		return 0;
	chain = &r->chains[site_hash(&key, a->who.locks) & (r->nchains - 1)];
	for (i = *chain; i; i = r->sites[i].next) {
		if (site_is(&r->sites[i], ev, a->who.locks, size))
			return a->site = *cached = i;
	}
	if (!make_room(r, &r->sites, r->nsites, &r->sites_cap, sizeof(*r->sites)))
		return 0;
	i = r->nsites++;
	r->sites[i] = (struct site){ .pc = ev->pc, .ctx = ev->ctx, .locks = a->who.locks,
				     .arg = ev->arg, .op = ev->op, .size = size, .next = *chain };
	*chain = i;
	return a->site = *cached = i;
}

/* ---- telling ------------------------------------------------------------- */

/* Has this pair of places been told of? If not, it has now. */
static bool told_before(struct hd_race *r, enum hd_kind kind, uint64_t a, uint64_t b)
{
	uint64_t low = a < b ? a : b, high = a < b ? b : a;
	uint32_t i;

	if (r->ntold * 2 >= r->told_cap) {
		struct told *old = r->told;
		uint32_t n = r->told_cap;

		r->told_cap = n ? 2 * n : 256;
		r->told = calloc(r->told_cap, sizeof(*r->told));
		r->ntold = 0;
		if (!r->told) {
			r->told = old;
			r->told_cap = n;
			r->failed = true;
			return true;
		}
		for (uint32_t j = 0; j < n; j++) {
			if (old[j].kind)
				told_before(r, old[j].kind, old[j].a, old[j].b);
		}
		free(old);
	}
	i = (uint32_t)((low * 31 + high * 17 + kind) * 0x9e3779b97f4a7c15ull >> 32);
	for (i &= r->told_cap - 1; r->told[i].kind; i = (i + 1) & (r->told_cap - 1)) {
		if (r->told[i].a == low && r->told[i].b == high && r->told[i].kind == kind)
			return true;
	}
	r->told[i] = (struct told){ .a = low, .b = high, .kind = kind };
	r->ntold++;
	return false;
}

static size_t locks_of(const struct hd_race *r, hd_lockset set, struct hd_found_lock *out,
		       size_t max)
{
	const bool *exclusive;
	size_t n;
	const uint64_t *members = hd_lockset_members(r->sets, set, &n, &exclusive);

	if (n > max)
		n = max;
	for (size_t i = 0; i < n; i++)
		out[i] = (struct hd_found_lock){ .addr = members[i],
						 .mode = exclusive[i] ? 0 : HD_LOCK_SHARED };
	return n;
}

static struct hd_within within_at(const struct hd_race *r, uint32_t thread, uint64_t tag)
{
	if (thread >= r->nthreads)
		return (struct hd_within){ 0 };
	return hd_within_at(&r->threads[thread].within, &r->constructs, (uint32_t)(tag >> 32));
}

#define MAX_LOCKS 32

static void tell(struct hd_race *r, enum hd_kind kind, const struct now *a, uint64_t addr,
		 uint64_t tag, uint32_t site)
{
	const struct site *s = &r->sites[site];
	struct hd_found_lock first_locks[MAX_LOCKS], second_locks[MAX_LOCKS];
	struct hd_found_access both[2] = {
		{ .role = "first", .index = HD_NO_INDEX, .locks = first_locks },
		{ .role = "second", .index = a->index, .event = *a->ev, .locks = second_locks },
	};
	struct hd_found f = { .kind = kind, .addr = addr, .group = -1, .accesses = both,
			      .naccesses = 2 };
	uint64_t first_addr = addr;

	/* Places without a pc (an imported trace may have none) are told apart by address. */
	if (told_before(r, kind, s->pc ? s->pc : ~addr, a->ev->pc ? a->ev->pc : ~addr)) {
		r->merged++;
		return;
	}
	/* A cell does not say where in it the access began: a whole one, at its own multiple. */
	if (s->size && !(s->size & (s->size - 1)))
		first_addr = addr & ~(uint64_t)(s->size - 1);
	if (a->ev->size)
		f.addr = a->ev->addr;
	both[0].event = (struct hd_event){ .addr = first_addr, .pc = s->pc, .ctx = s->ctx, .op = s->op,
					   .size = s->size, .arg = s->arg };
	both[0].event.thread = hd_hb_thread(r->hb, (uint32_t)(tag >> 12 & 0xfffff),
					    (uint32_t)(tag >> 32));
	both[0].within = within_at(r, both[0].event.thread, tag);
	both[1].within = within_at(r, a->ev->thread, a->who.epoch);
	both[0].nlocks = locks_of(r, s->locks, first_locks, MAX_LOCKS);
	both[1].nlocks = locks_of(r, a->who.locks, second_locks, MAX_LOCKS);
	f.size = a->ev->size ? a->ev->size : s->size;
	r->found(r->arg, &f);
}

/* ---- order --------------------------------------------------------------- */

static bool before(const struct hd_vclock *clock, uint64_t tag)
{
	return (uint32_t)(tag >> 32) <= hd_vc_get(clock, (uint32_t)(tag >> 12 & 0xfffff));
}

/* An earlier access that may conflict: a race if nothing orders it. True: it is one. */
static bool check(struct hd_race *r, const struct now *a, uint64_t addr, uint64_t tag,
		  uint32_t site, uint64_t bytes)
{
	if (!tag || !(tag & bytes & HD_TAG_BYTES) || before(a->who.full, tag))
		return false;
	/*
	 * A block may be freed with more bytes than it was asked for, which its next
	 * owner's ALLOC did not mention: that is no double free.
	 */
	if (a->ev->op == HD_OP_FREE && r->sites[site].op == HD_OP_FREE)
		return false;
	tell(r, HD_KIND_RACE, a, addr, tag, site);
	return true;
}

/* ---- readers ------------------------------------------------------------- */

static struct readers *readers_of(struct hd_race *r, const struct hd_cell_more *m)
{
	uint32_t n = m->extra & EXTRA_NUMBER;

	return n && !(m->extra & IS_SPLIT) ? &r->readers[n] : NULL;
}

static void readers_release(struct hd_race *r, struct hd_cell_more *m)
{
	struct readers *x = readers_of(r, m);

	if (!x)
		return;
	if (x->len)
		memset(x->by_slot, 0, x->len * sizeof(*x->by_slot));
	x->next_free = r->free_readers;
	r->free_readers = m->extra & EXTRA_NUMBER;
	m->extra &= ATOMIC_HERE;
}

/* The table of a cell that is not split, made if need be. */
static struct readers *readers_make(struct hd_race *r, struct hd_cell_more *m)
{
	struct readers *x = readers_of(r, m);
	uint32_t n = r->free_readers;

	if (x)
		return x;
	if (n) {
		r->free_readers = r->readers[n].next_free;
	} else {
		if (!make_room(r, &r->readers, r->nreaders, &r->readers_cap, sizeof(*r->readers)))
			return NULL;
		n = r->nreaders++;
	}
	m->extra |= n;
	return &r->readers[n];
}

/* The place of @slot in the table. */
static struct reader *reader_at(struct hd_race *r, struct readers *x, uint32_t slot)
{
	if (slot >= x->len) {
		uint32_t len = slot + 4;
		struct reader *p = realloc(x->by_slot, len * sizeof(*p));

		if (!p) {
			r->failed = true;
			return NULL;
		}
		memset(p + x->len, 0, (len - x->len) * sizeof(*p));
		x->by_slot = p;
		x->len = len;
	}
	return &x->by_slot[slot];
}

static uint32_t slot_of(uint64_t tag)
{
	return (uint32_t)(tag >> 12 & 0xfffff);
}

/* Is every read of this cell ordered before, in the relation of @clock? */
static bool reads_before(struct hd_race *r, const struct hd_vclock *clock, const struct hd_cell *c,
			 const struct hd_cell_more *m)
{
	const struct readers *x = readers_of(r, m);

	if (c->read && !before(clock, c->read))
		return false;
	for (uint32_t i = 0; x && i < x->len; i++) {
		if (x->by_slot[i].tag && !before(clock, x->by_slot[i].tag))
			return false;
	}
	return true;
}

static void check_reads(struct hd_race *r, const struct now *a, uint64_t addr,
			const struct hd_cell *c, const struct hd_cell_more *m, uint64_t bytes)
{
	const struct readers *x = readers_of(r, m);

	if (check(r, a, addr, c->read, m->read_site, bytes))
		return;
	for (uint32_t i = 0; x && i < x->len; i++) {
		if (check(r, a, addr, x->by_slot[i].tag, x->by_slot[i].site, bytes))
			return;
	}
}

/* ---- the lockset machine ------------------------------------------------- */

/* An earlier access for the report of a candidate: by another thread, preferably a write. */
static void tell_candidate(struct hd_race *r, const struct now *a, uint64_t addr,
			   const struct hd_cell *c, const struct hd_cell_more *m)
{
	const struct readers *x = readers_of(r, m);
	uint32_t mine = slot_of(a->who.epoch);

	if (c->write && slot_of(c->write) != mine) {
		tell(r, HD_KIND_LOCKSET, a, addr, c->write, m->write_site);
		return;
	}
	if (c->read && slot_of(c->read) != mine) {
		tell(r, HD_KIND_LOCKSET, a, addr, c->read, m->read_site);
		return;
	}
	for (uint32_t i = 0; x && i < x->len; i++) {
		if (x->by_slot[i].tag && i != mine) {
			tell(r, HD_KIND_LOCKSET, a, addr, x->by_slot[i].tag, x->by_slot[i].site);
			return;
		}
	}
}

static void lockset_step(struct hd_race *r, const struct now *a, uint64_t addr,
			 const struct hd_cell *c, struct hd_cell_more *m)
{
	enum state state = m->lockset & ((1u << STATE_BITS) - 1);
	hd_lockset set = m->lockset >> STATE_BITS, mine = a->write ? a->who.exclusive : a->who.locks;
	bool ordered = (!c->write || before(a->who.weak, c->write)) &&
		       reads_before(r, a->who.weak, c, m);

	if (state == TOLD)
		return;
	if (state == NEW || ordered) {
		state = a->write ? EXCLUSIVE_WRITE : EXCLUSIVE_READ;
		set = mine;
	} else {
		bool reads_only = state == EXCLUSIVE_READ || state == SHARED_READ;

		if (set != mine)
			set = hd_lockset_meet(r->sets, set, mine);
		state = reads_only && !a->write ? SHARED_READ : SHARED_WRITE;
		if (state == SHARED_WRITE && set == HD_LOCKSET_EMPTY) {
			/* A race that is certain has been told as such. */
			if ((!c->write || before(a->who.full, c->write)) &&
			    reads_before(r, a->who.full, c, m))
				tell_candidate(r, a, addr, c, m);
			state = TOLD;
		}
	}
	m->lockset = state | (set > MAX_SET ? HD_LOCKSET_EMPTY : set) << STATE_BITS;
}

/* ---- splits -------------------------------------------------------------- */

static uint64_t narrowed(uint64_t tag, unsigned byte)
{
	return tag >> byte & 1 ? (tag & (HD_TAG_EPOCH | HD_TAG_FREED)) | 1ull << byte : 0;
}

/* Bytes of this cell were last touched by different accesses: remember each by itself. */
static struct split *split_cell(struct hd_race *r, struct hd_cell *c, struct hd_cell_more *m)
{
	uint32_t n = r->free_splits;
	struct split *s;

	if (n) {
		r->free_splits = r->splits[n].next_free;
	} else {
		if (!make_room(r, &r->splits, r->nsplits, &r->splits_cap, sizeof(*r->splits)))
			return NULL;
		n = r->nsplits++;
	}
	s = &r->splits[n];
	for (unsigned b = 0; b < 4; b++) {
		const struct readers *x;

		s->cells[b] = (struct hd_cell){ .write = narrowed(c->write, b),
						.read = narrowed(c->read, b) };
		s->more[b] = *m;
		s->more[b].extra = 0;
		x = readers_of(r, m);
		for (uint32_t i = 0; x && i < x->len; i++) {
			uint64_t tag = narrowed(x->by_slot[i].tag, b);
			uint32_t site = x->by_slot[i].site;
			struct readers *own = tag ? readers_make(r, &s->more[b]) : NULL;
			struct reader *mine = own ? reader_at(r, own, i) : NULL;

			if (mine)
				*mine = (struct reader){ .tag = tag, .site = site };
			x = readers_of(r, m); /* may have moved */
		}
	}
	readers_release(r, m);
	*c = (struct hd_cell){ 0 };
	m->extra |= IS_SPLIT | n;
	return s;
}

static void split_release(struct hd_race *r, struct hd_cell_more *m)
{
	uint32_t n = m->extra & EXTRA_NUMBER;

	if (!(m->extra & IS_SPLIT))
		return;
	for (unsigned b = 0; b < 4; b++)
		readers_release(r, &r->splits[n].more[b]);
	r->splits[n].next_free = r->free_splits;
	r->free_splits = n;
	m->extra &= ATOMIC_HERE;
}

/* ---- one cell ------------------------------------------------------------ */

/*
 * One tag and one site for both @old and the new access @tag, if that loses
 * nothing: what is left must name an access to each of its bytes. False: the cell
 * must be split.
 */
static bool combine(uint64_t *old, uint32_t *old_site, uint64_t tag, uint32_t site)
{
	bool same_epoch = (*old & HD_TAG_EPOCH) == (tag & HD_TAG_EPOCH);

	if (!(*old & ~tag & HD_TAG_BYTES)) { /* also if there is none */
		*old = tag | (same_epoch ? *old & HD_TAG_WIDE : 0);
		*old_site = site;
		return true;
	}
	if (!same_epoch)
		return false;
	if (!(tag & ~*old & HD_TAG_BYTES))
		return true;
	if (*old_site != site)
		return false;
	*old |= tag & HD_TAG_BYTES; /* a loop over bytes */
	return true;
}

/* Note a read. False: the cell must be split first. */
static bool put_read(struct hd_race *r, struct now *a, struct hd_cell *c, struct hd_cell_more *m,
		     uint64_t tag)
{
	uint32_t site = site_of(r, a);
	struct readers *x;
	struct reader *p;

	if (!c->read || slot_of(c->read) == slot_of(tag) ||
	    (before(a->who.full, c->read) && !readers_of(r, m)))
		return combine(&c->read, &m->read_site, tag, site);
	/* Somebody else read it last: that goes to the table, and ours comes out. */
	x = readers_make(r, m);
	p = x ? reader_at(r, x, slot_of(tag)) : NULL;
	if (!p)
		return true;
	if (p->tag && !combine(&p->tag, &p->site, tag, site))
		return false;
	if (p->tag) {
		tag = p->tag;
		site = p->site;
		p->tag = 0;
	}
	p = reader_at(r, x, slot_of(c->read));
	if (p)
		*p = (struct reader){ .tag = c->read, .site = m->read_site };
	c->read = tag;
	m->read_site = site;
	return true;
}

static bool put_write(struct hd_race *r, struct now *a, struct hd_cell *c, struct hd_cell_more *m,
		      uint64_t tag)
{
	bool covers = (tag & HD_TAG_BYTES) == HD_TAG_BYTES;

	if (!combine(&c->write, &m->write_site, tag, site_of(r, a)))
		return false;
	/* Reads that this write has been compared with, and that it covers, are history. */
	if (covers || (!readers_of(r, m) && !(c->read & ~tag & HD_TAG_BYTES))) {
		readers_release(r, m);
		c->read = 0;
	}
	return true;
}

static void check_atomics(struct hd_race *r, const struct now *a, uint64_t cell_addr,
			  uint64_t bytes)
{
	const struct atomics *x = hd_addr_map_find(&r->atomics, cell_addr + 1);

	for (uint32_t i = 0; x && i < x->n; i++) {
		if ((a->write || x->list[i].write) &&
		    check(r, a, cell_addr, x->list[i].tag, x->list[i].site, bytes))
			return;
	}
}

static void put_atomic(struct hd_race *r, struct now *a, uint64_t cell_addr,
		       struct hd_cell_more *m, uint64_t tag)
{
	struct atomics *x = hd_addr_map_get(&r->atomics, cell_addr + 1);
	uint32_t i;

	if (!x) {
		r->failed = true;
		return;
	}
	m->extra |= ATOMIC_HERE;
	for (i = 0; i < x->n; i++) {
		if (slot_of(x->list[i].tag) == slot_of(tag) && x->list[i].write == a->write &&
		    combine(&x->list[i].tag, &x->list[i].site, tag, site_of(r, a)))
			return;
	}
	if (make_room(r, &x->list, x->n, &x->cap, sizeof(*x->list)))
		x->list[x->n++] = (struct atomic_access){ .write = a->write, .tag = tag,
							  .site = site_of(r, a) };
}

/* One cell or one byte of a split cell. @tag names the access and its bytes. */
static void touch(struct hd_race *r, struct now *a, uint64_t addr, struct hd_cell *c,
		  struct hd_cell_more *m, uint64_t tag);

static __attribute__((noinline)) void touch_split(struct hd_race *r, struct now *a, uint64_t addr, struct hd_cell_more *m,
			uint64_t tag)
{
	uint32_t n = m->extra & EXTRA_NUMBER;

	for (unsigned b = 0; b < 4; b++) {
		if (tag >> b & 1)
			touch(r, a, addr + b, &r->splits[n].cells[b], &r->splits[n].more[b],
			      narrowed(tag, b));
	}
}

static void touch(struct hd_race *r, struct now *a, uint64_t addr, struct hd_cell *c,
		  struct hd_cell_more *m, uint64_t tag)
{
	if (m->extra & IS_SPLIT) {
		touch_split(r, a, addr, m, tag);
		return;
	}
	check(r, a, addr, c->write, m->write_site, tag);
	if (a->write)
		check_reads(r, a, addr, c, m, tag);
	if (a->atomic)
		return;
	if (r->options.locksets)
		lockset_step(r, a, addr, c, m);
	if (a->write ? put_write(r, a, c, m, tag) : put_read(r, a, c, m, tag))
		return;
	if (split_cell(r, c, m))
		touch_split(r, a, addr, m, tag);
}

/* ---- accesses ------------------------------------------------------------ */

static void access_cell(struct hd_race *r, struct now *a, uint64_t addr, uint64_t bytes, bool wide)
{
	struct hd_shadow_page *p = hd_shadow_get(&r->shadow, addr);
	uint64_t cell_addr = addr & ~3ull, tag = a->who.epoch | bytes | (wide ? HD_TAG_WIDE : 0);
	uint32_t i = addr >> 2 & (HD_PAGE_CELLS - 1);

	if (!p) {
		r->failed = true;
		return;
	}
	hd_shadow_spread(p);
	touch(r, a, cell_addr, &p->cells[i], &p->more[i], tag);
	if (a->atomic)
		put_atomic(r, a, cell_addr, &p->more[i], tag);
	else if (p->more[i].extra & ATOMIC_HERE)
		check_atomics(r, a, cell_addr, bytes);
}

/* A whole page by one access, if it was last touched like that too. */
static bool access_page(struct hd_race *r, struct now *a, uint64_t addr)
{
	struct hd_shadow_page *p = hd_shadow_find(&r->shadow, addr);

	if (!p) {
		p = hd_shadow_get(&r->shadow, addr);
		if (!p)
			return false;
		p->uniform = true;
		p->all = (struct hd_cell){ 0 };
		p->all_more = (struct hd_cell_more){ 0 };
	}
	/* A table of readers cannot be shared by a thousand cells: those are spread. */
	if (!p->uniform || (!a->write && p->all.read && slot_of(p->all.read) != slot_of(a->who.epoch) &&
			    !before(a->who.full, p->all.read)))
		return false;
	touch(r, a, addr, &p->all, &p->all_more, a->who.epoch | HD_TAG_BYTES);
	return true;
}

static void access_range(struct hd_race *r, struct now *a, uint64_t addr, uint64_t len)
{
	uint64_t end = addr + len;

	while (addr < end) {
		uint64_t next = (addr & ~3ull) + 4, bytes = HD_TAG_BYTES;

		if (!(addr & 4095) && end - addr >= 4096 && !a->atomic && access_page(r, a, addr)) {
			addr += 4096;
			continue;
		}
		bytes = bytes << (addr & 3) & HD_TAG_BYTES;
		if (next > end)
			bytes &= HD_TAG_BYTES >> (next - end);
		access_cell(r, a, addr, bytes, len == 8 && !(addr & 7));
		addr = next;
	}
}

static bool who_is(struct hd_race *r, uint32_t thread, struct who *w)
{
	struct thread *t = thread_at(r, thread);
	struct hd_hb_now now = hd_hb_now(r->hb, thread);

	if (!t || !now.slot)
		return false;
	*w = (struct who){ .full = now.full, .weak = now.weak, .locks = t->locks,
			   .exclusive = t->exclusive };
	w->epoch = (uint64_t)now.full->at[now.slot] << 32 | (uint64_t)now.slot << 12;
	return true;
}

static bool now_is(struct hd_race *r, struct now *a, const struct hd_event *ev, uint64_t index)
{
	*a = (struct now){ .ev = ev, .index = index };
	return who_is(r, ev->thread, &a->who);
}

static bool plain_access(struct hd_race *r, const struct hd_event *ev, uint64_t index, bool write)
{
	bool range = ev->op == HD_OP_READ_RANGE || ev->op == HD_OP_WRITE_RANGE;
	struct now a;

	if (!now_is(r, &a, ev, index))
		return false;
	a.write = write;
	access_range(r, &a, ev->addr, range ? ev->value : ev->size);
	return !r->failed;
}

/*
 * The access happens before what the operation releases and after what it
 * acquires: so it has the thread's time from before, and is compared with the
 * clocks from after.
 */
static bool atomic_access(struct hd_race *r, const struct hd_event *ev, uint64_t index)
{
	struct now a;
	uint64_t epoch;

	if (!now_is(r, &a, ev, index))
		return false;
	epoch = a.who.epoch;
	if (!hd_hb_event(r->hb, ev) || !now_is(r, &a, ev, index))
		return false;
	a.who.epoch = epoch;
	a.atomic = true;
	a.write = ev->op == HD_OP_ATOMIC_STORE || ev->op == HD_OP_ATOMIC_RMW;
	access_range(r, &a, ev->addr, ev->size);
	return !r->failed;
}

/* ---- memory that comes and goes ------------------------------------------ */

static void drop_atomics(void *record)
{
	free(((struct atomics *)record)->list);
}

static void forget(struct hd_race *r, uint64_t addr, uint64_t len)
{
	uint64_t end = addr + len;

	while (addr < end) {
		struct hd_shadow_page *p = hd_shadow_find(&r->shadow, addr);
		uint64_t page_end = (addr | 4095) + 1, stop = page_end < end ? page_end : end;

		if (p && p->uniform && addr + 4096 == stop) {
			p->all = (struct hd_cell){ 0 };
			p->all_more = (struct hd_cell_more){ 0 };
		} else if (p) {
			hd_shadow_spread(p);
			for (uint64_t b = addr; b < stop; b = (b & ~3ull) + 4) {
				uint32_t i = b >> 2 & (HD_PAGE_CELLS - 1);

				readers_release(r, &p->more[i]);
				split_release(r, &p->more[i]);
				p->cells[i] = (struct hd_cell){ 0 };
				p->more[i] = (struct hd_cell_more){ 0 };
			}
		}
		addr = stop;
	}
}

static void free_cell(struct hd_race *r, const struct now *a, uint64_t addr,
		      const struct hd_cell *c, const struct hd_cell_more *m)
{
	uint32_t n = m->extra & EXTRA_NUMBER;

	for (unsigned b = 0; (m->extra & IS_SPLIT) && b < 4; b++)
		free_cell(r, a, addr + b, &r->splits[n].cells[b], &r->splits[n].more[b]);
	check(r, a, addr, c->write, m->write_site, HD_TAG_BYTES);
	check_reads(r, a, addr, c, m, HD_TAG_BYTES);
	if (m->extra & ATOMIC_HERE)
		check_atomics(r, a, addr, HD_TAG_BYTES);
}

/* Giving memory back conflicts with every access that is not ordered before. */
static void free_memory(struct hd_race *r, const struct hd_event *ev, uint64_t index)
{
	uint64_t addr = ev->addr & ~3ull, end = ev->addr + ev->value;
	struct now a;

	if (!now_is(r, &a, ev, index))
		return;
	a.write = true;
	while (addr < end) {
		struct hd_shadow_page *p = hd_shadow_find(&r->shadow, addr);
		uint32_t i = addr >> 2 & (HD_PAGE_CELLS - 1);

		if (p && !p->uniform) {
			free_cell(r, &a, addr, &p->cells[i], &p->more[i]);
			addr += 4;
			continue;
		}
		if (p)
			free_cell(r, &a, addr, &p->all, &p->all_more);
		addr = (addr | 4095) + 1;
	}
}

/*
 * Until the memory is given out again, freeing it counts as a write, so that a use
 * which nothing orders after it is a race too. Pages that were unmapped may come back
 * unannounced: of those nothing is kept.
 */
static void memory_event(struct hd_race *r, const struct hd_event *ev, uint64_t index)
{
	struct now a;

	if (ev->op == HD_OP_FREE)
		free_memory(r, ev, index);
	forget(r, ev->addr, ev->value);
	hd_addr_map_forget(&r->atomics, (ev->addr & ~3ull) + 1, ev->value + 3, drop_atomics);
	hd_hb_forget(r->hb, ev->addr, ev->value);
	if (ev->op == HD_OP_FREE && !(ev->arg & HD_FREE_PAGES) && now_is(r, &a, ev, index)) {
		a.write = true;
		a.who.epoch |= HD_TAG_FREED;
		access_range(r, &a, ev->addr, ev->value);
	}
}

/* ---- events -------------------------------------------------------------- */

static bool lock_event(struct hd_race *r, const struct hd_event *ev)
{
	struct thread *t = thread_at(r, ev->thread);

	if (!t)
		return false;
	if (ev->arg & HD_LOCK_AGAIN)
		return true;
	if (ev->op == HD_OP_ACQUIRE)
		t->locks = hd_lockset_with(r->sets, t->locks, ev->addr, !(ev->arg & HD_LOCK_SHARED));
	else
		t->locks = hd_lockset_without(r->sets, t->locks, ev->addr);
	t->exclusive = hd_lockset_exclusive(r->sets, t->locks);
	return hd_hb_event(r->hb, ev) && !hd_locksets_failed(r->sets);
}

static bool construct_event(struct hd_race *r, const struct hd_event *ev)
{
	struct thread *t = thread_at(r, ev->thread);
	struct who now;

	return t && hd_hb_event(r->hb, ev) && who_is(r, ev->thread, &now) &&
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
		memory_event(r, ev, index);
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
	if (!who_is(r, thread, &r->who))
		r->failed = true;
	return (struct hd_race_view){ .pages = r->shadow.direct, .epoch = r->who.epoch };
}

/* Do two neighbours have the same history, so that one look serves both? */
static inline bool same_history(const struct hd_cell *c, const struct hd_cell_more *m)
{
	return c[0].write == (c[1].write | (c[0].write & HD_TAG_WIDE)) &&
	       c[0].read == (c[1].read | (c[0].read & HD_TAG_WIDE)) && !m[0].extra &&
	       !m[1].extra && m[0].lockset == m[1].lockset &&
	       m[0].write_site == m[1].write_site && m[0].read_site == m[1].read_site;
}

/*
 * The common case of touch(): the whole cell, nothing special about it, all that went
 * before is ordered, and no lockset runs empty. Then only this access is left.
 */
static inline bool takes_over(struct hd_race *r, struct now *a, struct hd_cell *c,
			      struct hd_cell_more *m, uint64_t tag)
{
	enum state state = m->lockset & ((1u << STATE_BITS) - 1);
	hd_lockset set = m->lockset >> STATE_BITS;
	hd_lockset mine = a->write ? a->who.exclusive : a->who.locks;

	if (m->extra || !before(a->who.full, c->write) || !before(a->who.full, c->read))
		return false;
	if (before(a->who.weak, c->write) && before(a->who.weak, c->read)) {
		if (state != TOLD) {
			state = a->write ? EXCLUSIVE_WRITE : EXCLUSIVE_READ;
			set = mine;
		}
	} else if (state != TOLD) {
		bool reads_only = state == EXCLUSIVE_READ || state == SHARED_READ;

		if (set != mine)
			set = hd_lockset_meet(r->sets, set, mine);
		state = reads_only && !a->write ? SHARED_READ : SHARED_WRITE;
		if (state == SHARED_WRITE && set == HD_LOCKSET_EMPTY)
			return false; /* to be told */
	}
	m->lockset = state | set << STATE_BITS;
	if (a->write) {
		*c = (struct hd_cell){ .write = tag };
		m->write_site = site_of(r, a);
	} else {
		c->read = tag;
		m->read_site = site_of(r, a);
	}
	return true;
}

bool hd_race_plain(struct hd_race *r, const struct hd_event *ev)
{
	struct now a = { .ev = ev, .index = HD_NO_INDEX, .who = r->who,
			 .write = ev->op == HD_OP_WRITE };
	struct hd_shadow_page *p = hd_shadow_find(&r->shadow, ev->addr);
	uint32_t i = ev->addr >> 2 & (HD_PAGE_CELLS - 1);

	if (ev->size == 4 && !(ev->addr & 3) && p && !p->uniform &&
	    takes_over(r, &a, &p->cells[i], &p->more[i], a.who.epoch | HD_TAG_BYTES))
		return !r->failed;
	if (ev->size != 8 || (ev->addr & 7) || !p || p->uniform ||
	    !same_history(&p->cells[i], &p->more[i])) {
		access_range(r, &a, ev->addr, ev->size);
		return !r->failed;
	}
	if (!takes_over(r, &a, &p->cells[i], &p->more[i],
			a.who.epoch | HD_TAG_BYTES | HD_TAG_WIDE))
		touch(r, &a, ev->addr, &p->cells[i], &p->more[i],
		      a.who.epoch | HD_TAG_BYTES | HD_TAG_WIDE);
	if (p->more[i].extra) { /* grew a table of readers: the neighbour needs its own */
		touch(r, &a, ev->addr + 4, &p->cells[i + 1], &p->more[i + 1],
		      a.who.epoch | HD_TAG_BYTES);
		return !r->failed;
	}
	p->cells[i + 1] = (struct hd_cell){ .write = p->cells[i].write & ~HD_TAG_WIDE,
					    .read = p->cells[i].read & ~HD_TAG_WIDE };
	p->more[i + 1] = p->more[i];
	return !r->failed;
}

struct hd_race *hd_race_new(const struct hd_race_options *o, hd_found_fn *found, void *arg)
{
	struct hd_race *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->options = *o;
	r->found = found;
	r->arg = arg;
	r->atomics.record_size = sizeof(struct atomics);
	r->hb = hd_hb_new();
	r->sets = hd_locksets_new();
	r->nsites = r->nreaders = r->nsplits = 1; /* number 0 means none */
	if (r->hb && r->sets && hd_shadow_init(&r->shadow, o->direct) &&
	    make_room(r, &r->sites, 1, &r->sites_cap, sizeof(*r->sites)) &&
	    make_room(r, &r->readers, 1, &r->readers_cap, sizeof(*r->readers)) &&
	    make_room(r, &r->splits, 1, &r->splits_cap, sizeof(*r->splits)))
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
	hd_addr_map_free(&r->atomics, drop_atomics);
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
