/*
 * The locks of each task, as the words that say what they exclude (lock_word.h): every kind of
 * lock, isolated blocks too, which take locks like any other code (events.def).
 */
#ifndef HD_ANALYSIS_TASK_LOCKS_H
#define HD_ANALYSIS_TASK_LOCKS_H

#include "analysis/addr_map.h"
#include "analysis/locks/lock_word.h"
#include "trace/found.h"

#define HD_LOCK_LOG_MAX 4096 /* operations since the last moment without locks that are known */

struct hd_task_held {
	uint32_t lock; /* its number */
	uint32_t depth;
	uint64_t taken; /* the position before it */
	struct hd_found_lock told;
};

/* Of one task. Positions count its lock operations. */
struct hd_lock_log {
	hd_lock_op *ops; /* since position base, when no lock was held */
	size_t nops, ops_room;
	uint64_t base;
	uint64_t free_at; /* the latest position without locks ... */
	struct hd_task_held *held;
	size_t nheld, held_room;
	uint64_t missing;   /* operations after those of ops that were too many */
	hd_lock_op did;	    /* by the last event; 0: nothing (a recursive lock once more) */
	uint32_t held_note; /* the held locks as found_lock[], interned; 0: not known yet */
};

struct hd_task_locks {
	struct hd_words words;
	struct hd_addr_map numbers; /* address -> number of the lock that is there now */
	uint32_t count;
	struct hd_intern notes; /* of held locks, for reports */
	bool failed;
};

void hd_task_locks_init(struct hd_task_locks *l);
void hd_task_locks_free(struct hd_task_locks *l);
void hd_lock_log_free(struct hd_lock_log *log);

static inline uint64_t hd_lock_log_at(const struct hd_lock_log *log)
{
	return log->base + log->nops + log->missing;
}

/* Is what was done around position @at known? */
static inline bool hd_lock_log_knows(const struct hd_lock_log *log, uint64_t at)
{
	return at >= log->base && at <= log->base + log->nops;
}

/* Is @ev about locks? Then take note of it; *@freed: the task held one, and holds none now. */
bool hd_task_locks_event(struct hd_task_locks *l, struct hd_lock_log *log,
			 const struct hd_event *ev, bool *freed);

/* The word of position @at and from there to @end; @open: as of hd_word_make(). */
hd_word hd_lock_log_word(struct hd_task_locks *l, const struct hd_lock_log *log, uint64_t at,
			 uint64_t end, bool open);

/*
 * Positions from @from to now where some other task may come in best: just after giving a lock back
 * and before taking one. From any other position one can go to such a one without being in
 * anybody's way more than before. Call with *@at = @from, and until false is returned.
 */
bool hd_lock_log_gap(const struct hd_lock_log *log, uint64_t from, uint64_t *at, bool first);

/* The held locks as a number, 0: none; and back. */
uint32_t hd_lock_log_note(struct hd_task_locks *l, struct hd_lock_log *log);
const struct hd_found_lock *hd_task_locks_told(const struct hd_task_locks *l, uint32_t note,
					       size_t *n);

#endif
