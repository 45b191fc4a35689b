/*
 * The accesses of which there is nothing special to say, in a handful of instructions: those that
 * were seen, and those that are ordered after all others.
 *
 * Inline, for the runtime's hooks: the caller knows size and kind when it is compiled.
 */
#ifndef HD_ANALYSIS_RACE_QUICK_H
#define HD_ANALYSIS_RACE_QUICK_H

#include "analysis/locks/lockset.h"
#include "race_shadow.h"
#include "trace/event.h"

/* The states of the lockset machine; what is left of the word is the candidate set. */
enum hd_race_state {
	HD_RACE_NEW,
	HD_RACE_EXCLUSIVE_READ,
	HD_RACE_EXCLUSIVE_WRITE,
	HD_RACE_SHARED_READ,
	HD_RACE_SHARED_WRITE,
	HD_RACE_TOLD
};
#define HD_RACE_STATE_BITS 3u
#define HD_RACE_STATES	   ((1u << HD_RACE_STATE_BITS) - 1)
#define HD_RACE_MAX_SET	   ((1u << (32 - HD_RACE_STATE_BITS)) - 1)

/* The last site that was asked for at one place of a cache. */
struct hd_race_place {
	uint64_t pc;
	uint32_t ctx;
	hd_lockset locks;
	uint32_t how;  /* hd_race_how() */
	uint32_t site; /* 0: none */
} __attribute__((aligned(32)));

#define HD_RACE_PLACES_LOG 15u
#define HD_RACE_PLACES	   (1u << HD_RACE_PLACES_LOG)

static inline uint32_t hd_race_how(unsigned op, unsigned size, unsigned arg)
{
	return op | size << 8 | arg << 16;
}

/* Contexts differ in recursion, at the same place. */
static inline uint32_t hd_race_place_of(uint64_t pc, uint32_t ctx, hd_lockset locks)
{
	return ((uint32_t)pc + ctx * 0x85ebca6bu + locks * 0xc2b2ae35u) * 0x9e3779b1u >>
	       (32 - HD_RACE_PLACES_LOG);
}

/* The thread that runs, as its accesses are compared by. */
struct hd_race_view {
	struct hd_shadow_page **pages; /* as in hd_shadow.direct */
	uint64_t epoch;
	const uint32_t *full, *weak; /* clocks */
	uint32_t full_len, weak_len; /* 0, 0: nothing is simple */
	hd_lockset locks, exclusive;
	struct hd_race_place *places;
	struct hd_race *race;
};

/*
 * A read of all that a cell is about, which several threads have read. False: there is something special
 * about it; nothing was done.
 */
bool hd_race_shared_read(const struct hd_race_view *v, struct hd_shadow_cell *c, uint64_t tag,
			 uint32_t site);

/* More bytes than this are a range, for whoever knows all cases. */
#define HD_RACE_MOST_BYTES 64u

/*
 * An access to @len bytes anywhere on a page that is divided. True: they were seen, or it is
 * ordered after all others and was noted. False: not all of it is known to be like that, so that whoever
 * knows all cases must be told of the whole.
 */
bool hd_race_bytes(const struct hd_race_view *v, uint64_t addr, unsigned len, bool write,
		   uint64_t pc, uint32_t ctx);
/* Were they seen? */
bool hd_race_bytes_seen(const struct hd_race_view *v, uint64_t addr, unsigned len, bool write);

/* Is what @tag names before, by a clock? That nothing was there is before everything. */
static inline __attribute__((always_inline)) bool hd_race_clock_has(const uint32_t *clock,
								    uint32_t len, uint64_t tag)
{
	uint32_t slot = hd_race_slot(tag);

	return slot < len && (uint32_t)(tag >> 32) <= clock[slot];
}

/* On a page that is not divided: is what a cell knows about these bytes, and no others? */
static inline __attribute__((always_inline)) bool hd_race_fits(const struct hd_cell *c,
							       uint64_t part)
{
	return (!c->write || (c->write & HD_TAG_PART) == part) &&
	       (!c->read || (c->read & HD_TAG_PART) == part);
}

/* Of four bytes on such a page. */
static inline uint64_t hd_race_part(uint64_t addr)
{
	return addr & 4 ? HD_TAG_HALF | HD_TAG_UPPER : HD_TAG_HALF;
}

/* Did the thread do the same there, or write, in its epoch? @divided: as the cell's page is. */
static inline __attribute__((always_inline)) bool hd_race_cell_seen(const struct hd_cell *c,
								    bool divided, uint64_t epoch,
								    uint64_t addr, unsigned size,
								    bool write)
{
	uint64_t want, ignore, half = divided ? 0 : hd_race_part(addr);

	if (size < 4) {
		uint64_t bytes = ((1ull << size) - 1) << (addr & 3);
		uint64_t mask = HD_TAG_EPOCH | HD_TAG_FREED | HD_TAG_PART | bytes;

		want = epoch | bytes; /* other bytes may have been touched as well */
		return ((c->write ^ want) & mask) == 0 || ((c->write ^ want) & mask) == half ||
		       (!write &&
			(((c->read ^ want) & mask) == 0 || ((c->read ^ want) & mask) == half));
	}
	want = epoch | HD_TAG_BYTES | HD_TAG_WIDE;
	/* A wide access covers a narrow one, and all cells are wide on a page that is not divided. */
	ignore = size == 8 && divided ? 0 : HD_TAG_WIDE;
	if ((c->write | ignore) == want || (!write && (c->read | ignore) == want))
		return true;
	if (size == 8 || divided)
		return false;
	want |= half;
	return (c->write | ignore) == want || (!write && (c->read | ignore) == want);
}

/* ---- narrow pages ---------------------------------------------------------- */

static inline uint64_t hd_narrow_tag(const struct hd_shadow_page *p, uint32_t access)
{
	uint64_t part = p->narrow_odd ? (uint64_t)(access & HD_NARROW_WIDE) << 2
				      : (uint64_t)(access & HD_NARROW_PART) << 4;
	uint64_t freed = (uint64_t)access << 1 & HD_TAG_FREED;

	return access ? p->narrow->owners[access & HD_NARROW_OWNER].epoch | HD_TAG_BYTES | part |
				freed
		      : 0;
}

/* Of two reads: the last one, and the other one, as cells of their own. */
static inline struct hd_narrow_cell hd_narrow_last(struct hd_narrow_cell c)
{
	return c.read & HD_NARROW_BOTH ? (struct hd_narrow_cell){ .read = c.read & ~HD_NARROW_BOTH }
				       : c;
}

static inline struct hd_narrow_cell hd_narrow_other(struct hd_narrow_cell c)
{
	return (struct hd_narrow_cell){ .read = c.read & HD_NARROW_BOTH ? c.write : 0 };
}

/* Of two reads: those of the last one. */
static inline struct hd_cell hd_narrow_tags(const struct hd_shadow_page *p, struct hd_narrow_cell c)
{
	c = hd_narrow_last(c);
	return (struct hd_cell){ .write = hd_narrow_tag(p, c.write),
				 .read = hd_narrow_tag(p, c.read) };
}

/* As the lockset machine leaves it behind an access that is ordered after all others: it begins anew; or behind two reads. */
static inline uint32_t hd_narrow_lockset(const struct hd_shadow_narrow *n, struct hd_narrow_cell c)
{
	if (c.read)
		return n->owners[c.read & HD_NARROW_OWNER].locks << HD_RACE_STATE_BITS |
		       (c.read & HD_NARROW_BOTH ? HD_RACE_SHARED_READ : HD_RACE_EXCLUSIVE_READ);
	if (c.write)
		return n->owners[c.write & HD_NARROW_OWNER].exclusive << HD_RACE_STATE_BITS |
		       HD_RACE_EXCLUSIVE_WRITE;
	return HD_RACE_NEW;
}

/* What a cell of a narrow page stands for. Of two reads, the other one is in a table, whose number it has (hd_race_spread()). */
static inline struct hd_shadow_cell hd_narrow_full(const struct hd_shadow_page *p,
						   struct hd_narrow_cell c)
{
	struct hd_narrow_cell last = hd_narrow_last(c);

	return (struct hd_shadow_cell){ .tags = hd_narrow_tags(p, c),
					.more = { .write_site = last.write >> HD_NARROW_SITE_SHIFT,
						  .read_site = last.read >> HD_NARROW_SITE_SHIFT,
						  .lockset = hd_narrow_lockset(p->narrow, c),
						  .extra = hd_narrow_other(c).read } };
}

/* As hd_race_seen() and hd_race_simple() say, on such a page. */
bool hd_race_narrow_seen(const struct hd_race_view *v, struct hd_shadow_page *p, uint64_t addr,
			 unsigned size, bool write);
bool hd_race_narrow_simple(const struct hd_race_view *v, struct hd_shadow_page *p, uint64_t addr,
			   unsigned size, bool write, uint64_t pc, uint32_t ctx);

/*
 * True if this very thread did the same (or wrote) there since it last synchronised, so that nothing
 * new can be said.
 */
static inline bool hd_race_seen(const struct hd_race_view *v, uint64_t addr, unsigned size,
				bool write)
{
	struct hd_shadow_page *p = v->pages[addr >> HD_PAGE_LOG & (HD_DIRECT_PAGES - 1)];

	if (!__builtin_expect(p != NULL, 1))
		return false;
	if (p->narrow)
		return hd_race_narrow_seen(v, p, addr, size, write);
	return hd_race_cell_seen(&hd_shadow_cell_at(p, addr)->tags, p->odd != NULL, v->epoch, addr,
				 size, write);
}

/*
 * What the lockset machine makes of an access to all that a cell is about, ordered after all others,
 * of which there is nothing special to be said; 0: it is not so simple.
 */
static inline __attribute__((always_inline)) uint32_t
hd_race_step(const struct hd_race_view *v, const struct hd_shadow_cell *c, bool write)
{
	enum hd_race_state state = c->more.lockset & HD_RACE_STATES;
	hd_lockset set = c->more.lockset >> HD_RACE_STATE_BITS;
	hd_lockset mine = write ? v->exclusive : v->locks;
	bool reads_only;

	if (c->more.extra || !hd_race_clock_has(v->full, v->full_len, c->tags.write) ||
	    !hd_race_clock_has(v->full, v->full_len, c->tags.read))
		return 0;
	if (state == HD_RACE_TOLD)
		return c->more.lockset;
	if (hd_race_clock_has(v->weak, v->weak_len, c->tags.write) &&
	    hd_race_clock_has(v->weak, v->weak_len, c->tags.read))
		return mine << HD_RACE_STATE_BITS |
		       (write ? HD_RACE_EXCLUSIVE_WRITE : HD_RACE_EXCLUSIVE_READ);
	reads_only = !write && (state == HD_RACE_EXCLUSIVE_READ || state == HD_RACE_SHARED_READ);
	if ((~(c->tags.write | c->tags.read) & HD_TAG_BYTES) || set != mine ||
	    (!reads_only && set == HD_LOCKSET_EMPTY))
		return 0;
	return set << HD_RACE_STATE_BITS |
	       (reads_only ? HD_RACE_SHARED_READ : HD_RACE_SHARED_WRITE);
}

static inline __attribute__((always_inline)) void
hd_race_put(struct hd_shadow_cell *c, bool write, uint64_t tag, uint32_t site, uint32_t lockset)
{
	if (write)
		c->tags = (struct hd_cell){ .write = tag };
	else
		c->tags.read = tag;
	*(write ? &c->more.write_site : &c->more.read_site) = site;
	c->more.lockset = lockset;
}

/* The site of such an access if it is the last one of its place; 0: it is not. */
static inline __attribute__((always_inline)) uint32_t
hd_race_quick_site(const struct hd_race_view *v, unsigned size, bool write, uint64_t pc,
		   uint32_t ctx)
{
	const struct hd_race_place *p = &v->places[hd_race_place_of(pc, ctx, v->locks)];

	return p->pc == pc && p->ctx == ctx && p->locks == v->locks &&
			       p->how == hd_race_how(write ? HD_OP_WRITE : HD_OP_READ, size, 0)
		       ? p->site
		       : 0;
}

/* Both cells of eight bytes on a page that is divided, or none. */
static inline bool hd_race_simple_halves(const struct hd_race_view *v, struct hd_shadow_cell *even,
					 struct hd_shadow_cell *odd, bool write, uint32_t site)
{
	uint32_t first = hd_race_step(v, even, write), second = hd_race_step(v, odd, write);

	if (!first || !second)
		return false;
	hd_race_put(even, write, v->epoch | HD_TAG_BYTES | HD_TAG_WIDE, site, first);
	hd_race_put(odd, write, v->epoch | HD_TAG_BYTES, site, second);
	return true;
}

/* As hd_race_simple(), of whole cells; if some are seen, of bytes, too. */
static inline __attribute__((always_inline)) bool hd_race_simple_cells(const struct hd_race_view *v,
								       uint64_t addr, unsigned size,
								       bool write, uint64_t pc,
								       uint32_t ctx)
{
	struct hd_shadow_page *p = v->pages[addr >> HD_PAGE_LOG & (HD_DIRECT_PAGES - 1)];
	struct hd_shadow_cell *c;
	uint64_t part;
	uint32_t site, step;

	if (!p || addr >> HD_PAGE_LOG >= HD_DIRECT_PAGES)
		return false;
	if (p->uniform)
		return p->narrow && hd_race_narrow_simple(v, p, addr, size, write, pc, ctx);
	c = hd_shadow_cell_at(p, addr);
	if (hd_race_cell_seen(&c->tags, p->odd != NULL, v->epoch, addr, size, write))
		return true;
	if (size < 4)
		return false;
	site = hd_race_quick_site(v, size, write, pc, ctx);
	if (!site)
		return false;
	if (size == 8 && p->odd)
		return hd_race_simple_halves(v, c, hd_shadow_cell_at(p, addr + 4), write, site);
	part = size == 8 || p->odd ? 0 : hd_race_part(addr);
	if (!p->odd && !hd_race_fits(&c->tags, part))
		return false;
	if (c->more.extra)
		return !write && hd_race_shared_read(v, c, v->epoch | HD_TAG_BYTES | part, site);
	step = hd_race_step(v, c, write);
	if (!step)
		return false;
	hd_race_put(c, write, v->epoch | HD_TAG_BYTES | part, site, step);
	return true;
}

/*
 * Does what hd_race_plain() does for an aligned access that was seen, or is ordered after all others
 * and has nothing special about it. False: that is not so, or not known; hd_race_plain() must be told of it.
 */
static inline __attribute__((always_inline)) bool hd_race_simple(const struct hd_race_view *v,
								 uint64_t addr, unsigned size,
								 bool write, uint64_t pc,
								 uint32_t ctx)
{
	return hd_race_simple_cells(v, addr, size, write, pc, ctx) ||
	       hd_race_bytes(v, addr, size, write, pc, ctx);
}

#endif
