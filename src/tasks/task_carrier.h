/*
 * What carries tasks out: fibers of the runtime, one at a time, or (HD_PARALLEL) worker threads. The
 * constructs of this folder are built for both.
 *
 * On workers, HD_CALL in an exported function means that the rest of it runs under the library's
 * lock, and HD_OUTSIDE(call) leaves the lock for a call of the program's code. On fibers nobody
 * comes in between anyway.
 */
#ifndef HD_TASKS_TASK_CARRIER_H
#define HD_TASKS_TASK_CARRIER_H

#ifdef HD_PARALLEL
#include "parallel/port.h"
#else
#include "runtime/explore/explore.h"
#include "runtime/explore/explore_sites.h"
#include "runtime/explore/state.h"
#include "runtime/fiber/light.h"
#include "runtime/memory/arena.h"
#include "runtime/observe/findings.h"
#include "runtime/rt.h"
/* Something has changed that comes to the same whatever else changes it before or after. */
static inline void hd_rt_explore_sum(uintptr_t addr, uint64_t was, uint64_t is)
{
	if (hd_rt.exploring && hd_rt.opt.states)
		hd_rt_state_change(addr, was, is);
}
#define hd_rt_region_is_calm(pc) hd_rt_sites_has(&hd_rt_calm_regions, pc)
#define hd_rt_no_fiber(caller, call) ((void)0) /* the runtime is not in charge */
#define hd_rt_in_charge() (hd_rt.active)
#define hd_rt_help(future) ((void)0)
#define HD_AWAIT_OUTSIDE(condition) ((void)0)
#define HD_FINISH_TOKEN  0
#define HD_CALL          _Static_assert(1, "fibers need no lock")
#define HD_OUTSIDE(call) call
#endif

#endif
