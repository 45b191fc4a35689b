/*
 * Threads that begin alike and that nobody tells apart (runtime/explore/equal_threads.h): who of them does something first
 * makes no difference, as long as they have done the same before.
 *
 * To exchange two of them in an execution gives another one that is possible as well, with the same faults. Where two, i and j, have
 * read the same from the same writes by some decision, and done nothing else, what happened before is the same
 * after the exchange. So what begins with j there is what begins with i, with the names exchanged: once
 * i was tried, j sleeps, as if it had been. Whatever is left out so is in an execution that is tried earlier, as it is
 * with other sleepers.
 *
 * A thread that was only chosen has done nothing (HD_X_STEP): i may have begun, and j not. Then j sleeps until somebody is
 * in conflict with what it would do after that, and in sequences such steps come just before what comes after them
 * (reversal.c). First steps alone do not know of that: there both must have been chosen as often.
 */
#ifndef HD_EXPLORE_SYMMETRY_H
#define HD_EXPLORE_SYMMETRY_H

#include "tree.h"

/* Let sleep whoever is equal to a thread that was chosen by @log at decisions [@from, @until). False: no memory. */
bool hd_xequal_sleep(struct hd_xtree *t, const struct hd_xlog *log, size_t from, size_t until);

#endif
