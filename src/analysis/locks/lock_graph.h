/*
 * Deadlock candidates: cycles of threads, each of which holds a lock and wants one that the
 * next holds, put together from what the threads did at different times of the run.
 *
 * An edge is one thread that waits for a lock while it holds another. A cycle of edges is told
 * only if every two of its threads could stand at their edges at the same time: no lock
 * in common (a gate lock), acquisition histories that do not cross, not ordered by fork and
 * join, not the same thread; and if each wants its lock in a way in which the next one's holding
 * stands against it (two readers do not). These are necessary conditions, so no deadlock
 * over locks that the events admit is missed; for two threads whose locks nest
 * they are sufficient too.
 *
 * Taking by a call that gives up (try, timed) waits for nobody for ever and makes no edge, but
 * what it took is held. A reader that must queue behind a waiting writer is not modelled.
 */
#ifndef HD_ANALYSIS_LOCK_GRAPH_H
#define HD_ANALYSIS_LOCK_GRAPH_H

#include "common/err.h"
#include "trace/found.h"

struct hd_lock_graph;

/* @fn is called by hd_lock_graph_finish(). NULL: no memory. */
struct hd_lock_graph *hd_lock_graph_new(hd_found_fn *fn, void *arg);
void hd_lock_graph_free(struct hd_lock_graph *g);

/* The next events; @first is the index of the first of them in the trace. */
enum hd_err hd_lock_graph_feed(struct hd_lock_graph *g, const struct hd_event *events, size_t n,
			       uint64_t first);

/*
 * Tell of every cycle, once per set of sites, in the order of first events. Accesses are
 * "holds" and "wants" of each thread in turn: what one wants the next holds.
 */
enum hd_err hd_lock_graph_finish(struct hd_lock_graph *g);

/* After finish: the search was cut short, there may be more cycles than were told. */
bool hd_lock_graph_incomplete(const struct hd_lock_graph *g);

#endif
