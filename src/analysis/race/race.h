/*
 * Data races of a run, by two criteria at once.
 *
 * Happens-before (FastTrack): two accesses to the same byte, one a write, one of
 * them not atomic, that nothing orders in this run. Certain: HD_KIND_RACE.
 *
 * Locksets (the state machine of a hybrid detector): memory that several threads
 * use in parallel, were it not for locks, and that no lock protects throughout.
 * Where the run's own locking happened to order the accesses it is a candidate:
 * HD_KIND_LOCKSET.
 *
 * No false reports: accesses before a fork or after a join, through memory that was
 * freed and given out again, or ordered by any synchronisation the events tell of, are ordered.
 * What can be missed: after the first race on a location only the last write and the last reads
 * are compared; an atomic operation that is ordered after a plain access by chance hides it.
 */
#ifndef HD_ANALYSIS_RACE_H
#define HD_ANALYSIS_RACE_H

#include "race_shadow.h"
#include "trace/event.h"
#include "trace/found.h"

struct hd_race;

struct hd_race_options {
	bool direct;   /* reserve address space for fast lookups: for use inside the program */
	bool locksets; /* the second criterion too */
};

struct hd_race *hd_race_new(const struct hd_race_options *o, hd_found_fn *found, void *arg);
void hd_race_free(struct hd_race *r);

/* Take note of any event; @index is its number, or HD_NO_INDEX. False: out of memory. */
bool hd_race_event(struct hd_race *r, const struct hd_event *ev, uint64_t index);

/* Races not told because others of the same two places were; for the end. */
uint64_t hd_race_merged(const struct hd_race *r);

/*
 * The fast path, for callers that know whose access it is: true if this very
 * thread did the same (or wrote) there since it last synchronised, so that
 * nothing new can be said.
 */
struct hd_race_view {
	struct hd_shadow_page **pages; /* as in hd_shadow.direct */
	uint64_t epoch;		       /* of the current thread */
};

/* The view of @thread; to be asked for again after each event that is not an access. */
struct hd_race_view hd_race_view_of(struct hd_race *r, uint32_t thread);

/*
 * A READ or WRITE of at most eight bytes by the thread whose view was asked for
 * last. Does what hd_race_event() does, faster.
 */
bool hd_race_plain(struct hd_race *r, const struct hd_event *ev);

/*
 * The same of an aligned access that was seen, or is ordered after all others and has nothing special
 * about it, faster still. False: that is not so, or not known; nothing was done. Needs options.direct.
 */
bool hd_race_simple(struct hd_race *r, uint64_t addr, unsigned size, bool write, uint64_t pc,
		    uint32_t ctx);

/* Accesses side by side, all alike: reads, writes, or reads each of which a write follows. */
struct hd_race_sweep {
	bool read, write;
	unsigned size;		    /* of each */
	uint64_t read_pc, write_pc; /* different ones */
	uint32_t ctx;
};

/*
 * The same of @len bytes from @addr on, a multiple of four. Returns how many of them, a multiple of
 * eight, were that simple.
 */
size_t hd_race_simple_run(struct hd_race *r, uint64_t addr, size_t len,
			  const struct hd_race_sweep *s);

/* The same for a cell that was found. @divided: as its page is. */
static inline bool hd_race_cell_seen(const struct hd_cell *c, bool divided, uint64_t epoch,
				     uint64_t addr, unsigned size, bool write)
{
	uint64_t want, ignore;

	if (size < 4) {
		uint64_t bytes = ((1ull << size) - 1) << (addr & 3);

		want = epoch | bytes;
		ignore = ~(HD_TAG_EPOCH | HD_TAG_FREED |
			   bytes); /* other bytes may have been touched as well */
		return ((c->write ^ want) & ~ignore) == 0 ||
		       (!write && ((c->read ^ want) & ~ignore) == 0);
	}
	want = epoch | HD_TAG_BYTES | HD_TAG_WIDE;
	/* A wide access covers a narrow one, and all cells are wide on a page that is not divided. */
	ignore = size == 8 && divided ? 0 : HD_TAG_WIDE;
	return (c->write | ignore) == want || (!write && (c->read | ignore) == want);
}

static inline bool hd_race_seen(const struct hd_race_view *v, uint64_t addr, unsigned size,
				bool write)
{
	struct hd_shadow_page *p = v->pages[addr >> HD_PAGE_LOG & (HD_DIRECT_PAGES - 1)];

	return __builtin_expect(p != NULL, 1) &&
	       hd_race_cell_seen(&hd_shadow_cell_at(p, addr)->tags, p->odd != NULL, v->epoch, addr,
				 size, write);
}

#endif
