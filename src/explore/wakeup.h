/*
 * Sequences of steps that are to be tried from a decision: a wake-up tree (Abdulla, Aronis, Jonsson,
 * Sagonas: JACM 2017). Sequences that begin alike share their first steps. There may be as many as there are
 * executions, so nothing here looks at all of them.
 */
#ifndef HD_EXPLORE_WAKEUP_H
#define HD_EXPLORE_WAKEUP_H

#include "trace/execution.h"

/* What a thread does from one decision to the next, and what may come after it, in order. */
struct hd_xstep {
	struct hd_xstep *next;	       /* another one in its place, to be tried later */
	struct hd_xstep *first, *last; /* that come after it; NULL: a sequence ends here */
	uint32_t thread;
	uint32_t nops;
	struct hd_xop ops[];
};

struct hd_xwakeup {
	struct hd_xstep *first, *last;
};

/*
 * Add a step after all others that come after @after (NULL: at the beginning). It is the only one of its thread
 * there. NULL: no memory.
 */
struct hd_xstep *hd_xwakeup_add(struct hd_xwakeup *w, struct hd_xstep *after, uint32_t thread,
				const struct hd_xop *ops, size_t n);

/* Take the sequences that begin with @thread, without that step. */
struct hd_xwakeup hd_xwakeup_descend(struct hd_xwakeup *w, uint32_t thread);

/* Take the sequences with the first of all first steps; give some back, after all others. */
struct hd_xstep *hd_xwakeup_take(struct hd_xwakeup *w);
void hd_xwakeup_give(struct hd_xwakeup *w, struct hd_xstep *step);

/* The first step of @thread; NULL: no sequence begins with one. */
const struct hd_xstep *hd_xwakeup_begins(const struct hd_xwakeup *w, uint32_t thread);

void hd_xwakeup_free(struct hd_xwakeup *w);
void hd_xstep_free(struct hd_xstep *step);

#endif
