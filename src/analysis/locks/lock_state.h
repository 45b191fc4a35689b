/*
 * Where each thread stands: the locks that it holds and where it took them, its acquisition
 * history, and its moment in the order that fork and join force.
 *
 * A lock is an identity, not an address: what is destroyed, initialised or freed and taken
 * again is another lock.
 */
#ifndef HD_ANALYSIS_LOCK_STATE_H
#define HD_ANALYSIS_LOCK_STATE_H

#include "common/map.h"
#include "acquisition.h"
#include "analysis/must_order.h"
#include "trace/found.h"

struct hd_held_lock {
	uint64_t lock; /* its identity */
	uint32_t depth;
	bool exclusive;
	uint64_t index; /* of the event that took it */
	struct hd_event event;
};

struct hd_thread_locks {
	uint32_t thread;	   /* the number in events */
	uint32_t at;		   /* the number here, from 0 without holes */
	struct hd_held_lock *held; /* in the order they were taken */
	size_t nheld;
	struct hd_held_lock *places; /* where held is, behind places of those that are gone */
	size_t room;
	hd_acq acq;
};

/* What an event changed. */
enum hd_lock_change {
	HD_CHANGE_NONE = 0,
	HD_CHANGE_TAKEN = 1,  /* the last of held is new */
	HD_CHANGE_GIVEN = 2,  /* a lock is held no more */
	HD_CHANGE_MOMENT = 4, /* a fork or a join */
	HD_CHANGE_FAILED = 8, /* out of memory */
};

struct hd_lock_state {
	struct hd_locksets *sets;
	struct hd_acquisitions *acqs;
	struct hd_must must;
	struct hd_map thread_of; /* thread -> at + 1 */
	struct hd_thread_locks **threads;
	size_t nthreads, threads_room;
	struct hd_map holders; /* address -> how many threads hold a lock that is there */
	struct hd_map lock_of; /* address -> identity of the lock that is there now */
	uint64_t *lock_addrs;  /* by identity; 0: not there any more */
	size_t nlocks, locks_room;
	struct hd_thread_locks *latest;
};

bool hd_lock_state_init(struct hd_lock_state *s);
void hd_lock_state_free(struct hd_lock_state *s);
bool hd_lock_state_failed(const struct hd_lock_state *s);

/* The locks of @thread, made where it is new; NULL: out of memory. It never moves. */
struct hd_thread_locks *hd_thread_locks(struct hd_lock_state *s, uint32_t thread);
hd_moment hd_thread_locks_moment(struct hd_lock_state *s, const struct hd_thread_locks *t);

/* Take note of @ev; returns enum hd_lock_change flags, which are about @whose. */
unsigned hd_lock_state_event(struct hd_lock_state *s, const struct hd_event *ev, uint64_t index,
			     struct hd_thread_locks **whose);

/* The held locks in the form of findings; returns their number, at most @max. */
size_t hd_thread_locks_found(const struct hd_thread_locks *t, struct hd_found_lock *out,
			     size_t max);

#endif
