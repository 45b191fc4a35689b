/*
 * The last accesses to every location and synchronisation object, as far as an open block
 * comes before them: what later events can conflict with.
 *
 * Memory is looked at in granules of eight bytes with a mask of the bytes accessed, and in
 * pages of 1 KiB, so that a range costs one record for each page that it covers wholly.
 * Records may outlive what they say (another write came over part of it): such a conflict is
 * real too, only older.
 */
#ifndef HD_ANALYSIS_LAST_ACCESS_H
#define HD_ANALYSIS_LAST_ACCESS_H

#include "block_order.h"

/* What was accessed; synchronisation of different kinds at one address does not meet. */
enum hd_object {
	HD_OBJECT_LOCK = 1,
	HD_OBJECT_COND,
	HD_OBJECT_BARRIER_EVEN, /* a thread may enter the next round before all left this one */
	HD_OBJECT_BARRIER_ODD,
	HD_OBJECT_SEMAPHORE,
	HD_OBJECT_ONCE,
	HD_OBJECT_OTHER,
};

struct hd_record {
	uint32_t next;
	hd_node node;
	uint32_t
		over; /* a path of one step, from the open block's access that this conflicted with */
	uint8_t mask; /* bytes of the granule */
	bool write;
	struct hd_seen seen;
};

struct hd_last;

/* Where one conflicting access goes; the order among nodes may change by it. */
typedef void hd_conflict_fn(void *arg, const struct hd_record *with);

struct hd_last *hd_last_new(struct hd_order *order);
void hd_last_free(struct hd_last *l);
bool hd_last_failed(const struct hd_last *l);

/*
 * @seen accesses @len bytes at @addr: every earlier access by another thread that conflicts
 * is given to @conflict, then this one is remembered for the node *@node (which @conflict may
 * have changed), unless nothing open comes before it.
 *
 * A range beyond HD_RANGE_MAX bytes is cut: a miss, never a false report.
 */
#define HD_RANGE_MAX (1ull << 28)
void hd_last_access(struct hd_last *l, uint64_t addr, uint64_t len, bool write,
		    const struct hd_seen *seen, const hd_node *node, hd_conflict_fn *conflict,
		    void *arg);

/*
 * The same for objects, in two halves. A signal is what others may come after: an
 * exclusive one replaces all before it, others are kept one for each thread. @round: signals
 * of another round are forgotten first.
 */
void hd_last_signal(struct hd_last *l, uint64_t addr, enum hd_object kind, bool exclusive,
		    uint64_t round, const struct hd_seen *seen, hd_node node);
/* All signals of other threads; of the exclusive ones only, of @thread only (if not 0). */
void hd_last_await(struct hd_last *l, uint64_t addr, enum hd_object kind, bool exclusive_only,
		   uint64_t round, uint32_t thread, const struct hd_seen *seen,
		   hd_conflict_fn *conflict, void *arg);

/* The memory was allocated or freed by event @index, the lock made or destroyed. */
void hd_last_forget(struct hd_last *l, uint64_t addr, uint64_t len, uint64_t index);
/* May memory at @addr .. @addr + len - 1 have been forgotten by event @index or a later one? */
bool hd_last_renewed(const struct hd_last *l, uint64_t addr, uint64_t len, uint64_t index);
void hd_last_forget_object(struct hd_last *l, uint64_t addr, enum hd_object kind);

/* Records held now, for measurements. */
uint64_t hd_last_records(const struct hd_last *l);

#endif
