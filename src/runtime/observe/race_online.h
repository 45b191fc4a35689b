/*
 * The race detector of src/analysis, fed while the program runs.
 */
#ifndef HD_RUNTIME_RACE_ONLINE_H
#define HD_RUNTIME_RACE_ONLINE_H

#include "analysis/race/race.h"
#include "runtime/rt.h"

/* What the fast path needs: of the fiber that runs. */
extern struct hd_race *hd_rt_race __attribute__((visibility("hidden")));
extern struct hd_race_view hd_rt_race_view __attribute__((visibility("hidden")));

/*
 * A second thread is about to exist: start detecting, if the options ask for it. What
 * the first did alone happens before everything, and costs nothing.
 */
void hd_rt_race_start(void);

/* An event that is no plain access, of the current fiber. */
void hd_rt_race_sync(enum hd_op op, uintptr_t addr, uint64_t value, uint64_t value2, uint32_t size,
		     uint16_t arg);
/* The same of a lock taken or given back, faster. */
void hd_rt_race_lock(enum hd_op op, uintptr_t addr, uint16_t mode);
/* Accesses of the current fiber so far do not stand for those that come. */
void hd_rt_race_new_time(void);
/* A plain access of @len bytes that the fast path did not know. */
void hd_rt_race_access(uintptr_t addr, uint64_t len, bool write, uint16_t flags, uintptr_t pc);
/* Another fiber runs now. */
void hd_rt_race_refresh(void);

static inline bool hd_rt_racing(void)
{
	return hd_rt.mode & HD_M_RACE;
}

/* A finding of an analysis into the trace, with its accesses, for the report to name and explain. */
void hd_rt_tell_found(const struct hd_found *f, enum hd_kind kind, uint64_t value, uint64_t text);

#endif
