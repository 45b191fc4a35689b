/*
 * Were the blocks of a run atomic? Conflict-serializability in one pass: is there an order
 * of whole blocks in which the same events, conflicting ones in the same order, would do the
 * same?
 *
 * Events conflict when they are of one thread; access common bytes, one of them writing
 * (atomic operations count as accesses); release and take a lock, unless both share it; or
 * synchronise in another way (fork, join, notify, post, barrier, once). A block is torn by
 * the first event of its own that comes after an event of another thread which comes after the
 * block; that event is reported, and then left out of the order, so that the next one is
 * found on its own merits.
 *
 * Memory grows with locations and open blocks, not with events or threads. An event costs
 * at most the number of open blocks for each conflict; outside of blocks nearly nothing.
 */
#ifndef HD_ANALYSIS_ATOMICITY_H
#define HD_ANALYSIS_ATOMICITY_H

#include "blocks.h"
#include "common/err.h"
#include "trace/found.h"

struct hd_atomicity;

enum hd_err hd_atomicity_new(struct hd_atomicity **out, const struct hd_blocks_options *blocks);
void hd_atomicity_free(struct hd_atomicity *a);

/*
 * The next event of the run; @index is its number in the trace, rising, or HD_NO_INDEX for
 * all of them. An error stays: HD_ERR_NOMEM, or HD_ERR_LIMIT for a thread from HD_THREADS_MAX on.
 */
enum hd_err hd_atomicity_event(struct hd_atomicity *a, const struct hd_event *ev, uint64_t index);

/*
 * Deliver what was found so far as HD_KIND_ATOMICITY, each triple of sites once: the first
 * event and the last in the block, and the one that tore it. The accesses of a finding are a
 * cycle: the first and the last are in the torn block, those in between are not, and each
 * comes before the next by a conflict, by the order of its thread or by being in one block
 * with it. With a pattern their roles are "e1", "f", "e2", else "block first", "other" (any
 * number; none for a thread that the block forks and joins), "block later"; these are left
 * out where every block that they tell of has a finding with a pattern too. Locks held are
 * not told. `why` is set if the cycle was too long to be kept whole.
 */
void hd_atomicity_report(const struct hd_atomicity *a, hd_found_fn *found, void *arg);

struct hd_atomicity_stats {
	uint64_t torn;	     /* events at which a block was found torn */
	uint64_t first_torn; /* the first of them; HD_NO_INDEX: none */
	uint64_t blocks;     /* outermost blocks so far */
	uint64_t records;    /* accesses remembered now */
	uint64_t nodes;	     /* groups of events known now */
	uint64_t open;	     /* blocks open now */
	uint64_t links;	     /* room for links from open blocks to nodes after them */
};

void hd_atomicity_stats(const struct hd_atomicity *a, struct hd_atomicity_stats *stats);

#endif
