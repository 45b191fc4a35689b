/*
 * What kind of thing each object of synchronisation is in a run, and whether what it did there
 * follows the plain rule of its kind, so that the rule can be said to the solvers. Where it
 * does not (a semaphore that was tried in vain, a wait that timed out, ...), the order of the
 * object's operations is kept as it was observed, and is called assumed.
 */
#ifndef HD_PREDICT_SYNC_SURVEY_H
#define HD_PREDICT_SYNC_SURVEY_H

#include "common/map.h"
#include "trace/event.h"

enum hd_sync_rule {
	HD_SYNC_CHAIN,	     /* one after the other, as observed: assumed */
	HD_SYNC_COUNT,	     /* a semaphore: permits */
	HD_SYNC_ONCE,	     /* what comes after the end of the first comes after it */
	HD_SYNC_WAKE,	     /* a wait ends after any notification that comes after its beginning */
	HD_SYNC_PAIR,	     /* a wait ends after the notification that ended it: assumed */
	HD_SYNC_WAKE_PAIR,   /* both; the first is certain */
	HD_SYNC_ROUND,	     /* a barrier that always the same threads use */
	HD_SYNC_MIXED_ROUND, /* one whose rounds might be of other threads: assumed */
};

struct hd_sync_object {
	uint32_t waits, notifies, waiter; /* waiter: a thread that waits */
	uint32_t begins, puts;
	uint32_t users;			 /* barrier: threads */
	uint32_t round, entered, fewest; /* its number, who entered it; fewest in a whole round */
	uint32_t permits, start;	 /* semaphore: now, and before its first event */
	bool semaphore, signals, many_waiters, odd, leaving;
};

/* How a lock was used. */
enum hd_lock_use {
	HD_USE_OWNED,  /* who takes it gives it back */
	HD_USE_HANDED, /* another gave it back: it is a semaphore with one permit */
	HD_USE_ODD,    /* as that, and what no semaphore does: shared, or taken twice */
};

struct hd_sync_survey {
	struct hd_map numbers; /* of objects by address, + 1 */
	struct hd_map locks;   /* by address: holder's thread + 1, and enum hd_lock_use */
	struct hd_map users;   /* of barriers: object and thread to round + 1 */
	struct hd_sync_object *objects;
	size_t n, room;
};

/* The next event of the run. False: out of memory. */
bool hd_sync_survey_take(struct hd_sync_survey *s, const struct hd_event *ev);
void hd_sync_survey_free(struct hd_sync_survey *s);

/* NULL: nothing was seen of it. */
const struct hd_sync_object *hd_sync_object(const struct hd_sync_survey *s, uint64_t addr);
enum hd_lock_use hd_sync_lock_use(const struct hd_sync_survey *s, uint64_t addr);
enum hd_sync_rule hd_sync_rule(const struct hd_sync_object *o);

#endif
