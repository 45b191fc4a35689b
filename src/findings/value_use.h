/*
 * What a run does with the values that it reads at some places: a hint at what another value would do.
 *
 * Read off from the accesses that follow in the same thread. A hint may be wrong: it only decides what is tried first.
 */
#ifndef HD_FINDINGS_VALUE_USE_H
#define HD_FINDINGS_VALUE_USE_H

#include "common/map.h"
#include "trace/event.h"

enum hd_value_use {
	HD_USE_POINTER = 1, /* memory that it points to is accessed */
	HD_USE_FREED = 2,   /* the block that it points to is freed */
	HD_USE_INDEX = 4,   /* where the next access is grows with it */
	HD_USE_BRANCH = 8,  /* after another value the thread goes on elsewhere */
};

struct hd_value_uses {
	struct hd_map sites; /* pc -> site + 1 */
	struct hd_use_site *list;
	size_t n, room;
	struct hd_map threads; /* thread + 1 -> its reads + 1 */
	struct hd_use_thread *of_thread;
	size_t nthreads, threads_room;
};

/* Look at what is read at @pc; false: no memory. */
bool hd_value_uses_want(struct hd_value_uses *u, uint64_t pc);
/* The next event of the run; false: no memory. */
bool hd_value_uses_feed(struct hd_value_uses *u, const struct hd_event *ev);
/* enum hd_value_use, of what is read at @pc. */
unsigned hd_value_uses_of(const struct hd_value_uses *u, uint64_t pc);
void hd_value_uses_free(struct hd_value_uses *u);

#endif
