/*
 * Sets of locks, interned: equal sets have equal numbers, and an intersection is
 * computed once.
 *
 * A lock held for reading only protects against writers: sets carry for each lock
 * whether it was held exclusively, and hd_lockset_excludes() takes that into account.
 */
#ifndef HD_ANALYSIS_LOCKSET_H
#define HD_ANALYSIS_LOCKSET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hd_locksets;

typedef uint32_t hd_lockset;
#define HD_LOCKSET_EMPTY 0u
#define HD_LOCKSET_ALL	 UINT32_MAX /* before the first access: every lock */

struct hd_locksets *hd_locksets_new(void);
void hd_locksets_free(struct hd_locksets *s);

/*
 * A set has no more members than this: what is taken beyond is left out, so such a set excludes less
 * than it could. Sets are copied, and thousands that differ by one would take gigabytes.
 */
#define HD_LOCKSET_MAX 256u

/* @set with @lock (no-op if it is there; exclusive wins over shared), without it, in common. */
hd_lockset hd_lockset_with(struct hd_locksets *s, hd_lockset set, uint64_t lock, bool exclusive);
hd_lockset hd_lockset_without(struct hd_locksets *s, hd_lockset set, uint64_t lock);
hd_lockset hd_lockset_meet(struct hd_locksets *s, hd_lockset a, hd_lockset b);

/* Only the locks held exclusively: what protects a write in the lockset algorithm. */
hd_lockset hd_lockset_exclusive(struct hd_locksets *s, hd_lockset set);

/* Can holders of @a and @b never be in it at the same time: a common lock, exclusive in one? */
bool hd_lockset_excludes(struct hd_locksets *s, hd_lockset a, hd_lockset b);

/* The members; *exclusive (if not NULL) is parallel to the result. */
const uint64_t *hd_lockset_members(const struct hd_locksets *s, hd_lockset set, size_t *n,
				   const bool **exclusive);

/* Memory ran out at some point; results since then are not to be trusted. */
bool hd_locksets_failed(const struct hd_locksets *s);

#endif
