/*
 * Waits on condition variables that a wake-up may miss, by how a run went. It is a hint, not a
 * finding: prediction does not know what a wake-up that comes earlier, or reaches another thread,
 * would lead to.
 *
 * A wait is safe from a wake-up that comes too early if the waiter looks, under the mutex that it
 * waits with, at something that the one who wakes it sets under the same mutex. So a wait is told if
 * nobody who notifies its condition variable wrote before, holding that mutex, what a waiter
 * had read since it took the mutex. The mutex may also have been taken under another lock, as
 * std::condition_variable_any does: then that lock guards what is looked at, if the one who notifies holds the
 * mutex as it does so. Memory is compared in words of eight bytes, and one who does
 * it right is enough: both leave hints out, rather than make up some.
 *
 * A single wake-up (signal) of a condition variable for which threads wait at several places may
 * reach one that waits for something else; such places are told as well.
 */
#ifndef HD_ANALYSIS_LOST_WAKEUP_H
#define HD_ANALYSIS_LOST_WAKEUP_H

#include <stdbool.h>
#include <stddef.h>

#include "common/err.h"
#include "trace/event.h"

struct hd_lost_wakeup {
	struct hd_event wait;
	struct hd_event other; /* a wait for the same at another place; op 0: it has no condition */
};

struct hd_lost_wakeups;

/* NULL: no memory. */
struct hd_lost_wakeups *hd_lost_wakeups_new(void);
void hd_lost_wakeups_free(struct hd_lost_wakeups *l);

/* All events of a run, for the waits; then all of them again, for what is done to end them. */
enum hd_err hd_lost_wakeups_waits(struct hd_lost_wakeups *l, const struct hd_event *events,
				  size_t n);
enum hd_err hd_lost_wakeups_wakes(struct hd_lost_wakeups *l, const struct hd_event *events,
				  size_t n);

/* The first that may be missed; false: there is none. */
bool hd_lost_wakeups_first(const struct hd_lost_wakeups *l, struct hd_lost_wakeup *out);

#endif
