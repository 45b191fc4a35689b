/*
 * What must have happened before what, in every continuation that reaches the goal.
 *
 * For an operation, its clock says how many operations of each thread must come before it
 * if it happens at all. Clocks only grow, by rules that hold in every schedule:
 * - program order, forks, joins, and the order that the goal asks for;
 * - a lock held where the other thread stands has been released before it is taken;
 * - a read comes after one of the writes of its value, so after what they all come after.
 * An operation that must come before itself, or after something impossible, is impossible,
 * and bounds its thread. If the goal is impossible, that is a proof; if not, nothing is proved.
 */
#ifndef HD_PREDICT_CLOSURE_H
#define HD_PREDICT_CLOSURE_H

#include "progress.h"

struct hd_closure {
	const struct hd_prepared *p;
	const struct hd_aim *aim;
	const struct hd_progress *s;
	uint32_t **clocks; /* of each thread: a clock per operation from base[thread] on */
	uint32_t *base, *room;
	uint32_t *known; /* of each thread: operations before this have clocks */
	uint32_t *bound; /* of each thread: operations from here on are impossible */
	uint32_t *need;	 /* of each thread: operations before this are part of any solution */
	uint32_t *least; /* for the choice of a write */
	uint32_t *cursor; /* of each thread: where the pass is */
	bool changed, gave_up;
	size_t bytes, max_bytes;
	double deadline;
};

/* On the clock of deadlines. */
double hd_seconds(void);

enum hd_err hd_closure_init(struct hd_closure *c, const struct hd_progress *s, size_t max_bytes,
			    double deadline);
void hd_closure_free(struct hd_closure *c);

/*
 * From where the progress is now: may the goal be reachable? False is a proof that it is not.
 * With too little memory or time it gives up, and proves nothing. Fills need and bound.
 */
bool hd_closure_run(struct hd_closure *c);

/* How many operations are needed at least; after hd_closure_run. */
uint64_t hd_closure_left(const struct hd_closure *c);

/* The clock of (@thread, @at), or NULL if it has none; after hd_closure_run. */
const uint32_t *hd_closure_clock(const struct hd_closure *c, uint32_t thread, uint32_t at);

#endif
