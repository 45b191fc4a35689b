/*
 * Preemptions where threads meet. From the execution that comes by itself, others are made: before an operation
 * that conflicts with a later one of another thread, that thread goes on instead, to its end or only until its operation
 * is done. All such executions come first, then those with one preemption more, and so on.
 *
 * This proves nothing. But errors that need few preemptions are found though executions are long, because
 * preemptions elsewhere are not tried, nor those in favour of threads that do not meet the preempted one. Of operations that
 * meet in the same way at the same object (a hundred threads set a flag, one reads it), the first pair and the last
 * come before all others.
 */
#ifndef HD_EXPLORE_CONFLICTS_H
#define HD_EXPLORE_CONFLICTS_H

#include "common/map.h"
#include "trace/execution.h"

/* Decisions of an execution; several of those that come from it point to them. */
struct hd_xparent {
	uint32_t *chosen;
	size_t n;
	uint64_t number;
	unsigned uses;
};

struct hd_xmeeting {
	struct hd_xparent *from;
	uint32_t node;	 /* the decision that is another one now, */
	uint32_t thread; /* in favour of this thread */
	uint32_t steps,
		then; /* after so many steps this one goes on; 0: only when that one waits or ends */
	uint32_t rank, number; /* when its turn is, among those with as many preemptions */
};

struct hd_xconflicts {
	bool begun;
	struct hd_xmeeting *now, *later; /* with as many preemptions, and with one more */
	size_t nnow, now_room, nlater, later_room, next;
	struct hd_map made, seen; /* preemptions and executions, by hash */
	unsigned preemptions;
	uint64_t number;
};

/* Request @i, counted from the one that comes next (0); false: there is none that is known yet. */
bool hd_xconflicts_ask(struct hd_xconflicts *c, size_t i, struct hd_xasked *asked, bool *ok);
/* Request 0 was executed. False: no memory. */
bool hd_xconflicts_learn(struct hd_xconflicts *c, const struct hd_xlog *log);
void hd_xconflicts_free(struct hd_xconflicts *c);

#endif
