/*
 * The partial order of an execution: which of its events had to come before which, and which
 * two could have come the other way round.
 *
 * An event is what one thread does between two decisions. Events of a thread are numbered
 * from 1; clock[t] of an event is the number of the last event of thread t that happens before
 * it (its own number, for its own thread).
 */
#ifndef HD_EXPLORE_EVENTS_H
#define HD_EXPLORE_EVENTS_H

#include "trace/execution.h"

#define HD_X_NO_NODE UINT32_MAX

struct hd_xevent {
	uint32_t thread; /* dense: index into the names of threads */
	uint32_t number;
	uint32_t node; /* the decision that began it; HD_X_NO_NODE: nobody else could run */
	uint32_t first_op, nops;
	uint32_t own; /* it waited at a lock: its clock without that, in own_clocks, + 1; else 0 */
};

struct hd_xevents {
	struct hd_xevent *list;
	size_t n, cap;
	uint32_t *clocks; /* of event i: from i * stride */
	size_t stride, clocks_cap;
	uint32_t *own_clocks;
	size_t nown, own_cap;
	uint32_t *names; /* of threads, by dense index */
	size_t nthreads, names_cap;
	/* Working memory, kept between executions. */
	uint32_t *last_of;   /* last event of each thread + 1; 0: none */
	uint32_t *forked_by; /* event + 1 */
	size_t threads_cap;
	struct hd_xobject *objects; /* hash table */
	size_t objects_cap, nobjects;
	struct hd_xtouch *touches; /* all operations, chained by object, newest first */
	size_t ntouches, touches_cap;
};

/*
 * Event @later could have come before @earlier, which happens before it. @fresh: @later begins where
 * the execution is new.
 */
typedef bool hd_xrace_fn(void *arg, uint32_t earlier, uint32_t later, bool fresh);

/*
 * Order the events of @log anew. @race is told of every reversible race; those whose later event begins
 * at decision @from or after are fresh. It may look at the events up to the later one. False:
 * out of memory, the budget is over, or @race said so.
 */
bool hd_xevents_order(struct hd_xevents *ev, const struct hd_xlog *log, uint32_t from,
		      hd_xrace_fn *race, void *arg);

static inline const uint32_t *hd_xevents_clock(const struct hd_xevents *ev, uint32_t event)
{
	return ev->clocks + (size_t)event * ev->stride;
}

/* Does @a happen before @b (or are they the same)? */
static inline bool hd_xevents_before(const struct hd_xevents *ev, uint32_t a, uint32_t b)
{
	return hd_xevents_clock(ev, b)[ev->list[a].thread] >= ev->list[a].number;
}

/* The same, if @b need not wait at a lock. */
static inline bool hd_xevents_before_free(const struct hd_xevents *ev, uint32_t a, uint32_t b)
{
	uint32_t own = ev->list[b].own;
	const uint32_t *clock =
		own ? ev->own_clocks + (size_t)(own - 1) * ev->stride : hd_xevents_clock(ev, b);

	return clock[ev->list[a].thread] >= ev->list[a].number;
}

void hd_xevents_free(struct hd_xevents *ev);

#endif
