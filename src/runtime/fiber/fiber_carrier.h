/*
 * Fibers as a carrier of tasks: tasks/carrier.h says what each of these is for. One fiber runs at a
 * time, so nothing needs a lock, and what an explorer wants to know is told to it.
 */
#ifndef HD_RUNTIME_FIBER_CARRIER_H
#define HD_RUNTIME_FIBER_CARRIER_H

#include "light.h"
#include "runtime/explore/explore.h"
#include "runtime/explore/common_state.h"
#include "runtime/explore/explore_sites.h"
#include "runtime/explore/state.h"
#include "runtime/memory/arena.h"
#include "runtime/rt.h"

struct hd_task;

typedef struct fiber hd_strand;

/* ---- strands ------------------------------------------------------------ */

static inline hd_strand *hd_carrier_enter(uintptr_t caller)
{
	return hd_rt_enter(caller);
}

static inline bool hd_carrier_in_charge(void)
{
	return hd_rt.active;
}

static inline void hd_carrier_refuse(uintptr_t caller, const char *call)
{
}

static inline struct hd_task *hd_strand_task(const hd_strand *s)
{
	return s->task;
}

static inline uint32_t hd_strand_id(const hd_strand *s)
{
	return s->id;
}

static inline uintptr_t hd_strand_pc(const hd_strand *s)
{
	return s->pc;
}

static inline uint32_t hd_strand_ctx(const hd_strand *s)
{
	return hd_rt_context_of(s);
}

static inline void hd_strand_awaits(hd_strand *s, enum hd_thread_state why, uintptr_t addr)
{
	s->wait.why = why;
	s->wait.addr = addr;
}

static inline void hd_strand_ready(hd_strand *s)
{
	hd_rt_light_ready(s);
}

/* ---- locks: none -------------------------------------------------------- */

#define HD_CALL			    _Static_assert(1, "fibers need no lock")
#define HD_OUTSIDE(call)	    call
#define HD_AWAIT_OUTSIDE(condition) ((void)0)
#define HD_FINISH_TOKEN		    0

/* ---- scheduling points -------------------------------------------------- */

static inline void hd_carrier_point(void)
{
	hd_rt_point();
}

static inline void hd_carrier_calm_point(void)
{
	hd_rt_calm_point();
}

static inline void hd_carrier_fine_point(void)
{
	hd_rt_fine_point();
}

static inline void hd_carrier_point_before(enum hd_thread_state why, uintptr_t addr)
{
	hd_rt_point_before(why, addr);
}

static inline bool hd_carrier_region_is_calm(uintptr_t pc)
{
	return hd_rt_sites_has(&hd_rt_calm_regions, pc);
}

/* ---- waiting ------------------------------------------------------------ */

static inline void hd_carrier_block(enum hd_thread_state why, uintptr_t addr)
{
	hd_rt_block(why, addr, HD_NEVER);
}

static inline void hd_carrier_wake_all(enum hd_thread_state why, uintptr_t addr)
{
	hd_rt_wake_all(why, addr);
}

static inline bool hd_carrier_has_waiters(uintptr_t addr)
{
	return hd_rt_has_waiters(addr);
}

static inline void hd_carrier_assumption_failed(void)
{
	hd_rt_assumption_failed();
}

static inline void hd_carrier_help(const void *future)
{
}

static inline void hd_carrier_spin(void)
{
	hd_rt_spin();
}

/* ---- memory ------------------------------------------------------------- */

static inline void *hd_carrier_alloc(size_t size)
{
	return hd_rt_alloc(size);
}

static inline void hd_carrier_free(void *p, size_t size)
{
	hd_rt_free(p, size);
}

/* ---- telling ------------------------------------------------------------ */

static inline void hd_carrier_event2(enum hd_op op, uintptr_t addr, uint64_t value, uint64_t value2,
				     uint16_t arg)
{
	hd_rt_event2(op, addr, value, value2, arg);
}

static inline void hd_carrier_named(uintptr_t addr, size_t len, uintptr_t caller)
{
	if (hd_carrier_enter(caller))
		hd_rt_event_always(HD_OP_NAMED, addr, len, 0, 0);
}

static inline bool hd_carrier_watches(uintptr_t caller)
{
	return unlikely(hd_rt.mode) && !hd_rt_is_our_code(caller) && hd_rt_enter(caller) != NULL;
}

static inline bool hd_carrier_watches_string(uintptr_t caller)
{
	if (!hd_carrier_watches(caller))
		return false;
	if ((hd_rt.mode & HD_M_ACCESS_POINTS) || hd_rt_is_site(hd_rt.cur->pc))
		hd_rt_libc_point();
	return true;
}

static inline void hd_carrier_range(const void *addr, size_t len, bool write)
{
	hd_rt_range(addr, len, write);
}

static inline void hd_carrier_range_done(const void *addr, size_t len)
{
	hd_rt_range_done(addr, len);
}

static inline void hd_carrier_settle(void)
{
	hd_rt_settle();
}

#define hd_carrier_misuse(addr, ...) hd_rt_misuse(addr, __VA_ARGS__)

static inline void hd_carrier_misuse_at(uintptr_t pc, uint32_t ctx, const char *text)
{
	hd_rt_misuse_at(pc, ctx, text);
}

/* ---- for those who explore ---------------------------------------------- */

static inline void hd_carrier_progress(void)
{
	hd_rt_progress();
}

static inline void hd_carrier_look(uintptr_t addr)
{
	hd_rt_point();
	hd_rt_explore_come(addr);
}

static inline void hd_carrier_use_alone(uintptr_t addr)
{
	hd_rt_common_use_alone(addr);
}

static inline void hd_carrier_change_common(void)
{
	hd_rt_common_change();
}

static inline void hd_carrier_change_unseen(void)
{
	hd_rt_changes_unseen();
}

static inline void hd_carrier_change(uintptr_t addr, uint64_t was, uint64_t is)
{
	hd_rt_explore_change(addr, was, is);
}

static inline void hd_carrier_sum(uintptr_t addr, uint64_t was, uint64_t is)
{
	if (hd_rt.exploring && hd_rt.opt.states)
		hd_rt_state_change(addr, was, is);
}

static inline void hd_carrier_peek(uintptr_t addr)
{
	hd_rt_explore_peek(addr);
}

static inline void hd_carrier_uses_isolated(void)
{
	hd_rt_explore_uses(HD_X_USES_ISOLATED);
}

static inline void hd_carrier_uses_regions(void)
{
	hd_rt_explore_uses(HD_X_USES_REGIONS);
}

#endif
