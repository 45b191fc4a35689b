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

#include "race_quick.h"
#include "trace/event.h"
#include "trace/found.h"

struct hd_race;

struct hd_race_options {
	bool direct;   /* reserve address space for fast lookups: for use inside the program */
	bool locksets; /* the second criterion too */
	bool forked;   /* no thread but the first begins without a FORK */
};

struct hd_race *hd_race_new(const struct hd_race_options *o, hd_found_fn *found, void *arg);
void hd_race_free(struct hd_race *r);

/* Take note of any event; @index is its number, or HD_NO_INDEX. False: out of memory. */
bool hd_race_event(struct hd_race *r, const struct hd_event *ev, uint64_t index);

/* Races not told because others of the same two places were; for the end. */
uint64_t hd_race_merged(const struct hd_race *r);

/* What race_quick.h needs, of @thread; to be asked for again after each event that is not an access. */
void hd_race_view_of(struct hd_race *r, uint32_t thread, struct hd_race_view *v);

/*
 * The same after a lock was taken or given back by the thread of @v: hd_race_event() and
 * hd_race_view_of() in one. False: out of memory.
 */
bool hd_race_lock(struct hd_race *r, uint32_t thread, enum hd_op op, uint64_t lock, uint16_t mode,
		  struct hd_race_view *v);

/* The same after nothing: accesses of before do not stand for those that come. False: out of memory. */
bool hd_race_new_time(struct hd_race *r, uint32_t thread, struct hd_race_view *v);

/*
 * A READ or WRITE of at most eight bytes by the thread whose view was asked for
 * last. Does what hd_race_event() does, faster.
 */
bool hd_race_plain(struct hd_race *r, const struct hd_event *ev);

/* Accesses side by side, all alike: reads, writes, or reads each of which a write follows. */
struct hd_race_sweep {
	bool read, write;
	unsigned size;		    /* of each */
	uint64_t read_pc, write_pc; /* different ones */
	uint32_t ctx;
};

/*
 * As hd_race_simple(), of @len bytes from @addr on, a multiple of four, by the thread of @v, which was
 * asked for last. Returns how many of them, a multiple of eight, were that simple. Needs options.direct.
 */
size_t hd_race_simple_run(struct hd_race *r, const struct hd_race_view *v, uint64_t addr,
			  size_t len, const struct hd_race_sweep *s);

#endif
