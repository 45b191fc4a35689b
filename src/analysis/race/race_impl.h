/*
 * The race detector from within: what it keeps, and what its parts do for each other.
 *
 *   race.c         events, and accesses on their way to cells
 *   race_sweep.c   many accesses side by side
 *   race_narrow.c  pages with cells of eight bytes
 *   race_bytes.c   some bytes of cells, where nothing special is to be said
 *   race_cell.c    one cell: is an access ordered after those before it, and what is left of them
 *   race_tables.c  what a cell has no room for: several readers, halves and bytes that differ
 *   race_memory.c  memory that comes and goes
 *   race_sites.c   how accesses were made, interned
 *   race_tell.c    a finding, once for each two places
 *
 * All of it runs inside the tested program, too: what happens at every access is inline, or in one
 * file with its caller.
 */
#ifndef HD_ANALYSIS_RACE_IMPL_H
#define HD_ANALYSIS_RACE_IMPL_H

#include "common/array.h"
#include "analysis/addr_map.h"
#include "analysis/hb.h"
#include "analysis/locks/lockset.h"
#include "analysis/within_log.h"
#include "race.h"

/* How an access was made: interned, so that a cell needs only its number. */
struct hd_race_site {
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
struct hd_race_readers {
	struct hd_race_reader {
		uint64_t tag;
		uint32_t site;
	} * by_slot;
	uint32_t len;
	uint32_t next_free;
};

/* A cell whose bytes differ. */
struct hd_race_split {
	union {
		struct hd_shadow_cell bytes[4];
		uint32_t next_free;
	};
};

/* Atomic accesses to a cell: the last of each thread and kind. */
struct hd_race_atomics {
	struct hd_race_atomic {
		uint64_t tag;
		uint32_t site;
		bool write;
	} * list;
	uint32_t n, cap;
};

/* hd_cell_more.extra: flags, and the number of a table of earlier readers or of a split. */
enum {
	HD_EXTRA_ATOMIC = 1u << 31,
	HD_EXTRA_SPLIT = 1u << 30,
	HD_EXTRA_NUMBER = HD_EXTRA_SPLIT - 1
};

struct hd_race_thread {
	hd_lockset locks, exclusive; /* all, and those not shared with readers */
	struct {
		uint64_t lock;
		hd_lockset locks, exclusive;	 /* before it was taken */
		hd_lockset then, then_exclusive; /* after that */
		bool alone;			 /* not shared with readers */
	} taken; /* the last: mostly the next to be given back, and often to be taken again */
	struct hd_within_log within; /* by its time */
};

/* A thread at a time: what its accesses are compared by. */
struct hd_race_who {
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

	struct hd_race_thread *threads;
	uint32_t nthreads;
	struct hd_intern constructs;

	struct hd_race_site *sites; /* from 1 */
	uint32_t nsites, sites_cap;
	uint32_t *chains;
	uint32_t nchains;
	struct hd_race_place places[HD_RACE_PLACES]; /* by hd_race_place_of() */

	struct hd_race_readers *readers; /* from 1 */
	uint32_t nreaders, readers_cap, free_readers;
	struct hd_race_split *
		*splits; /* from 1, by HD_SPLITS at a time: they stay where they are */
	uint32_t nsplits, splits_cap, free_splits;

	struct hd_race_told {
		uint64_t a, b;
		enum hd_kind kind;
	} * told; /* open addressing */
	uint32_t ntold, told_cap;
	uint64_t merged;
	bool failed;
	struct hd_race_who who; /* whose accesses hd_race_plain() is told of */
};

/* The access being looked at. */
struct hd_race_access {
	const struct hd_event *ev;
	uint64_t index;
	struct hd_race_who who;
	uint32_t site; /* 0: not interned yet */
	bool write, atomic;
};

/* ---- tables that grow: race_sites.c -------------------------------------- */

/* Room for @need records in @table, those not used yet all zero; false: out of memory. */
#define HD_RACE_ROOM(r, table, cap, need)                                                          \
	(HD_ROOM_ZEROED(table, cap, (size_t)(need)) || ((r)->failed = true, false))
/* NULL: out of memory. */
struct hd_race_thread *hd_race_new_thread(struct hd_race *r, uint32_t number);
static inline struct hd_race_thread *hd_race_thread_at(struct hd_race *r, uint32_t number)
{
	return number < r->nthreads ? &r->threads[number] : hd_race_new_thread(r, number);
}

/* ---- sites: race_sites.c ------------------------------------------------- */

uint32_t hd_race_find_site(struct hd_race *r, struct hd_race_access *a, struct hd_race_place *at);

/* The number of the site of @a; 0: out of memory. */
static inline uint32_t hd_race_site_of(struct hd_race *r, struct hd_race_access *a)
{
	const struct hd_event *ev = a->ev;
	struct hd_race_place *p = &r->places[hd_race_place_of(ev->pc, ev->ctx, a->who.locks)];

	if (a->site)
		return a->site;
	if (p->pc == ev->pc && p->ctx == ev->ctx && p->locks == a->who.locks &&
	    p->how == hd_race_how(ev->op, ev->size > 255 ? 0 : ev->size, ev->arg) && p->site)
		return a->site = p->site;
	return hd_race_find_site(r, a, p);
}

/* ---- tags ---------------------------------------------------------------- */

static inline bool hd_race_before(const struct hd_vclock *clock, uint64_t tag)
{
	return (uint32_t)(tag >> 32) <= hd_vc_get(clock, (uint32_t)(tag >> 12 & 0xfffff));
}

static inline uint64_t hd_race_narrowed(uint64_t tag, unsigned byte)
{
	return tag >> byte & 1 ? (tag & (HD_TAG_EPOCH | HD_TAG_FREED)) | 1ull << byte : 0;
}

/* ---- telling: race_tell.c ------------------------------------------------ */

/* @a and an earlier access, of which a cell has @tag and @site. */
void hd_race_tell(struct hd_race *r, enum hd_kind kind, const struct hd_race_access *a,
		  uint64_t addr, uint64_t tag, uint32_t site);

/* ---- readers and splits: race_tables.c ------------------------------------ */

static inline struct hd_race_readers *hd_race_readers_of(struct hd_race *r,
							 const struct hd_cell_more *m)
{
	uint32_t n = m->extra & HD_EXTRA_NUMBER;

	return n && !(m->extra & HD_EXTRA_SPLIT) ? &r->readers[n] : NULL;
}

/* The table of a cell that is not split, made if need be; NULL: out of memory. */
struct hd_race_readers *hd_race_readers_make(struct hd_race *r, struct hd_cell_more *m);
void hd_race_readers_release(struct hd_race *r, struct hd_cell_more *m);
/* The place of @slot in the table; NULL: out of memory. */
struct hd_race_reader *hd_race_reader_at(struct hd_race *r, struct hd_race_readers *x,
					 uint32_t slot);

#define HD_SPLITS_LOG 8u
#define HD_SPLITS     (1u << HD_SPLITS_LOG)

static inline struct hd_race_split *hd_race_split_at(const struct hd_race *r, uint32_t extra)
{
	uint32_t n = extra & HD_EXTRA_NUMBER;

	return &r->splits[n >> HD_SPLITS_LOG][n & (HD_SPLITS - 1)];
}

/* Bytes of this cell were last touched by different accesses: remember each by itself. */
struct hd_race_split *hd_race_split_cell(struct hd_race *r, struct hd_cell *c,
					 struct hd_cell_more *m);
void hd_race_split_release(struct hd_race *r, struct hd_cell_more *m);

/* Give every cell of a uniform or narrow page its own. False: out of memory. */
bool hd_race_spread(struct hd_race *r, struct hd_shadow_page *p);

/* A page with cells of four bytes from now on; it is not uniform. False: out of memory. */
bool hd_race_divide(struct hd_race *r, struct hd_shadow_page *p);

/* ---- cells: race_cell.c -------------------------------------------------- */

/* Compare @a with what is known of a cell, and tell; @bytes of it are meant. */
bool hd_race_check(struct hd_race *r, const struct hd_race_access *a, uint64_t addr, uint64_t tag,
		   uint32_t site, uint64_t bytes);
void hd_race_check_reads(struct hd_race *r, const struct hd_race_access *a, uint64_t addr,
			 const struct hd_cell *c, const struct hd_cell_more *m, uint64_t bytes);
void hd_race_check_atomics(struct hd_race *r, const struct hd_race_access *a, uint64_t cell_addr,
			   uint64_t bytes);
void hd_race_put_atomic(struct hd_race *r, struct hd_race_access *a, uint64_t cell_addr,
			struct hd_cell_more *m, uint64_t tag);
/* One cell or one byte of a split cell. @tag names the access and its bytes. */
void hd_race_touch(struct hd_race *r, struct hd_race_access *a, uint64_t addr, struct hd_cell *c,
		   struct hd_cell_more *m, uint64_t tag);

/* ---- narrow pages: race_narrow.c ------------------------------------------ */

/* A uniform page becomes narrow. False: it cannot, and is as before. */
bool hd_race_make_narrow(struct hd_race *r, struct hd_shadow_page *p);
/*
 * The first four or eight of the bytes from @addr to @end, on a page that is uniform. Returns how many;
 * 0: they cannot be noted on a narrow page, and nothing was done.
 */
uint64_t hd_race_narrow_access(struct hd_race *r, struct hd_race_access *a,
			       struct hd_shadow_page *p, uint64_t addr, uint64_t end);
/*
 * All accesses of @of from @at to @stop, of whole cells of eight bytes on a narrow page, by the thread that was
 * asked for last; @site is that of the write if there is one. Returns up to where they could be noted.
 */
uint64_t hd_race_narrow_sweep(struct hd_race *r, struct hd_shadow_page *p, uint64_t at,
			      uint64_t stop, const struct hd_race_sweep *of, uint32_t site);
/* On a narrow page: is all that is known of the cell of @addr ordered before @a? */
bool hd_race_narrow_ordered(const struct hd_race_access *a, const struct hd_shadow_page *p,
			    uint64_t addr);
/* These bytes of a narrow page are blank; false: it needs full cells for that. */
bool hd_race_narrow_forget(struct hd_shadow_page *p, uint64_t addr, uint64_t stop);
/* Of whole cells on a narrow page: freed after all accesses to them. False: not so; nothing was done. */
bool hd_race_narrow_free(struct hd_race *r, struct hd_race_access *a, struct hd_shadow_page *p,
			 uint64_t addr, uint64_t len);

/* ---- accesses: race.c ---------------------------------------------------- */

/* An access by @ev's thread, as it stands now; false: out of memory. */
bool hd_race_access_of(struct hd_race *r, struct hd_race_access *a, const struct hd_event *ev,
		       uint64_t index);
void hd_race_access_range(struct hd_race *r, struct hd_race_access *a, uint64_t addr, uint64_t len);
/* A whole page by one access, if it was last touched like that too. */
bool hd_race_access_page(struct hd_race *r, struct hd_race_access *a, uint64_t addr);

/* ---- memory that comes and goes: race_memory.c --------------------------- */

void hd_race_memory_event(struct hd_race *r, const struct hd_event *ev, uint64_t index);
void hd_race_drop_atomics(void *record);

#endif
