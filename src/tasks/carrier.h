/*
 * What carries tasks out. There are two carriers, and everything that includes this header is built
 * for each of them:
 *
 *   fibers     runtime/fiber/fiber_carrier.h   of the runtime, one at a time, under its control
 *   workers    parallel/worker_carrier.h       kernel threads, at the same time
 *
 * This header says what a carrier gives. HD_CARRIER, which the build sets, is the one at hand; it
 * defines all of this inline, so that a construct pays for nothing that its carrier does not need.
 *
 * A strand is what a carrier runs: a task, and on fibers each thread of the program as well. The
 * type hd_strand is the carrier's own, and only its functions look into it.
 */
#ifndef HD_TASKS_CARRIER_H
#define HD_TASKS_CARRIER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include HD_CARRIER
#include "runtime/compiler.h"
#include "runtime/memory/arena.h"
#include "trace/event.h"

struct hd_task;

/* ---- strands ------------------------------------------------------------ */

/*
 * First call of every exported function: the calling strand, which remembers @caller for reports.
 * NULL: there is none, or the carrier is not in charge.
 */
static inline hd_strand *hd_carrier_enter(uintptr_t caller);
/* Is anybody there to schedule and to be told? */
static inline bool hd_carrier_in_charge(void);
/* There is no strand, and @call needs one. */
static inline void hd_carrier_refuse(uintptr_t caller, const char *call);

static inline struct hd_task *hd_strand_task(const hd_strand *s); /* NULL: it is no task */
static inline uint32_t hd_strand_id(const hd_strand *s);	  /* the number in T1, T2, ... */
static inline uintptr_t hd_strand_pc(const hd_strand *s);	  /* caller of the call at hand */
static inline uint32_t hd_strand_ctx(const hd_strand *s);	  /* the context of that */
/* For reports: @s has not begun, because of @addr. */
static inline void hd_strand_awaits(hd_strand *s, enum hd_thread_state why, uintptr_t addr);
/* @s, which has awaited something, can begin. */
static inline void hd_strand_ready(hd_strand *s);

/* ---- one at a time ------------------------------------------------------ */

/*
 * HD_CALL             the rest of the function is alone: nobody else is behind an HD_CALL, but
 *                     while this one blocks
 * HD_OUTSIDE(call)    the program's own code is called, with others running
 * HD_AWAIT_OUTSIDE(c) whoever is no strand waits until @c
 * HD_FINISH_TOKEN     1: the owner of a finish counts among its pending tasks; else 0
 */

/* ---- scheduling points -------------------------------------------------- */

/* Another strand may run before this returns. */
static inline void hd_carrier_point(void);
/* The same before something whose outcome is the same whoever comes first. */
static inline void hd_carrier_calm_point(void);
/* The same where only runs that follow a plan (and their replays) need one. */
static inline void hd_carrier_fine_point(void);
/* The same before something that may have to wait for @addr as @why. */
static inline void hd_carrier_point_before(enum hd_thread_state why, uintptr_t addr);
/* Is a permission region that is opened at @pc not worth a decision? */
static inline bool hd_carrier_region_is_calm(uintptr_t pc);

/* ---- waiting ------------------------------------------------------------ */

/* Wait until hd_carrier_wake_all(). It may come back for no reason: look again. Behind HD_CALL. */
static inline void hd_carrier_block(enum hd_thread_state why, uintptr_t addr);
static inline void hd_carrier_wake_all(enum hd_thread_state why, uintptr_t addr);
static inline bool hd_carrier_has_waiters(uintptr_t addr);
/* What the program assumes does not hold here: the strand stops for good, if the carrier can do that. */
static inline void hd_carrier_assumption_failed(void);
/* The task that makes @future may run now, on top of who needs it. */
static inline void hd_carrier_help(const void *future);
/* A look changed nothing, and may be one of many: let others run. */
static inline void hd_carrier_spin(void);

/* ---- memory ------------------------------------------------------------- */

/* Zeroed; by any strand, at any time. */
static inline void *hd_carrier_alloc(size_t size);
static inline void hd_carrier_free(void *p, size_t size);

/* ---- telling ------------------------------------------------------------ */

/* The current strand does this, at its pc. */
static inline void hd_carrier_event2(enum hd_op op, uintptr_t addr, uint64_t value, uint64_t value2,
				     uint16_t arg);
static inline void hd_carrier_event(enum hd_op op, uintptr_t addr, uint64_t value, uint16_t arg)
{
	hd_carrier_event2(op, addr, value, 0, arg);
}
/* The program, at @caller, names data that is to be checked; also before there is any strand. */
static inline void hd_carrier_named(uintptr_t addr, size_t len, uintptr_t caller);
/* Must a libc function that @caller calls report what it touches? Enters, if so. */
static inline bool hd_carrier_watches(uintptr_t caller);
/*
 * The same for functions that find out themselves how much they touch: others may run now, and
 * not between that and the call.
 */
static inline bool hd_carrier_watches_string(uintptr_t caller);
/* An access to @len bytes, for the program; and one that has happened, a write. */
static inline void hd_carrier_range(const void *addr, size_t len, bool write);
static inline void hd_carrier_range_done(const void *addr, size_t len);
/* libc is about to write: what the program wrote last is looked at first. */
static inline void hd_carrier_settle(void);
/*
 * hd_carrier_misuse(addr, fmt, ...): misuse of @addr by the current strand, told with its stack;
 * the run goes on. Below: of something that was done at an earlier place, whose stack is shown.
 */
static inline void hd_carrier_misuse_at(uintptr_t pc, uint32_t ctx, const char *text);

/* ---- for those who explore ---------------------------------------------- */

/* Something another strand could notice has happened: nobody merely spins. */
static inline void hd_carrier_progress(void);
/* What is kept at @addr outside of the program's memory (a future's value) is changed. */
static inline void hd_carrier_change(uintptr_t addr, uint64_t was, uint64_t is);
/* The same of a change that comes to the same whatever else changes it before or after. */
static inline void hd_carrier_sum(uintptr_t addr, uint64_t was, uint64_t is);
/* The current strand looks at @addr how far others have come, and does not wait for them. */
static inline void hd_carrier_peek(uintptr_t addr);
/* The same of a semaphore: others may run first. */
static inline void hd_carrier_look(uintptr_t addr);
/* State outside of the program's memory: as hd_rt_common_use_alone(), hd_rt_common_change() and hd_rt_changes_unseen(). */
static inline void hd_carrier_use_alone(uintptr_t addr);
static inline void hd_carrier_change_common(void);
static inline void hd_carrier_change_unseen(void);
/* The program has such things. */
static inline void hd_carrier_uses_isolated(void);
static inline void hd_carrier_uses_regions(void);

#endif
