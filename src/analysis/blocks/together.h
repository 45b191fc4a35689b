/*
 * Variables that a run uses together, and how they can be torn apart.
 *
 * Nobody has to say which belong together. A *unit* is an access to one variable and the next access of
 * the same thread to another one: written one after the other, tested in one condition, a pointer and
 * the length of what it points to. Two variables are a pair if a part of their uses is so, in several threads.
 * It can be torn: all of one thread's unit comes between the two accesses of another one's,
 *
 *   e1 on x, f on x, f on y, e2 on y      (or f on y before f on x)
 *
 * with a write among the two accesses to each. Then one thread is first at x and the other one at y, which is
 * so in no order of whole units. Every other order in which two units of two accesses are not serializable
 * is this one with the threads exchanged.
 *
 * What a lock that is held all the time between e1 and e2 excludes, and what forks and joins do, is left out.
 * That the two are meant as one is a guess: what is told here is worth a run, and says nothing by itself.
 */
#ifndef HD_ANALYSIS_TOGETHER_H
#define HD_ANALYSIS_TOGETHER_H

#include "common/err.h"
#include "trace/found.h"

struct hd_together;

/* NULL: no memory. @fn is called by hd_together_finish(). */
struct hd_together *hd_together_new(hd_found_fn *fn, void *arg);
void hd_together_free(struct hd_together *t);

/* First pass over all events: what is shared between threads and written? */
enum hd_err hd_together_learn(struct hd_together *t, const struct hd_event *events, size_t n);
/* Second pass; @first is the index of the first of them in the trace. */
enum hd_err hd_together_feed(struct hd_together *t, const struct hd_event *events, size_t n,
			     uint64_t first);
/* Tell of the pairs that can be torn, those that are used together most often first, each set of places once. */
enum hd_err hd_together_finish(struct hd_together *t);

#endif
