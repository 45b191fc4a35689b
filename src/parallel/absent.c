/*
 * What the runtime's options, trace and contexts ask for and worker threads do not have: policies,
 * exploration, plans, the race detector of threads.
 */
#include <dlfcn.h>

#include "runtime/explore/explore.h"
#include "runtime/explore/explore_sites.h"
#include "runtime/explore/inferred.h"
#include "runtime/memory/heap_check.h"
#include "runtime/memory/mapped_twice.h"
#include "runtime/observe/race_online.h"
#include "runtime/observe/tasks_online.h"
#include "runtime/real.h"
#include "runtime/rt.h"
#include "runtime/process/relatives.h"
#include "runtime/sched/policy.h"
#include "runtime/sync/sections.h"
#include "runtime/weak/orders.h"
#include "runtime/weak/weak.h"

struct fiber hd_rt_main_fiber = { .id = 1, .thread.started = true };
struct hd_rt hd_rt = { .cur = &hd_rt_main_fiber };

const struct hd_policy hd_rt_policy_plan = { .name = "plan" };
static const struct hd_policy any = { .name = "workers" };
const struct hd_policy *hd_rt_policy = &any;

const struct hd_policy *hd_rt_policy_of(unsigned word)
{
	return &any;
}

struct hd_rt_sites hd_rt_switch_sites, hd_rt_calm_regions;

uint32_t hd_rt_new_context(void)
{
	return 0;
}

bool hd_rt_inferred_read(const char *list)
{
	return true;
}

bool hd_rt_sections_read(const char *list)
{
	return true;
}

bool hd_rt_waits_read(const char *list)
{
	return true;
}

bool hd_rt_orders_read(const char *list)
{
	return true;
}

bool hd_rt_sites_read(struct hd_rt_sites *s, const char *list)
{
	return true;
}

void hd_rt_replay_end(void)
{
}

void hd_rt_tell_stalls(void)
{
}

void hd_rt_plan_end(void)
{
}

void hd_rt_plan_event(enum hd_op op, uintptr_t addr, uint64_t value, uint64_t value2, uintptr_t pc)
{
}

void hd_rt_explore_end(void)
{
}

int8_t *hd_rt_heap_shadow;

void hd_rt_heap_tell_access(uintptr_t a, size_t len, enum hd_op op)
{
}

void hd_rt_weak_made(void)
{
}

void hd_rt_weak_event(enum hd_op op, uintptr_t addr, uint64_t value, uint16_t arg)
{
}

void hd_rt_explore_event(enum hd_op op, uintptr_t addr, uint64_t value, uint32_t size, uint16_t arg)
{
}

void hd_rt_explore_fault_between(enum hd_kind kind, uintptr_t a, uintptr_t b)
{
}

void hd_rt_race_sync(enum hd_op op, uintptr_t addr, uint64_t value, uint64_t value2, uint32_t size,
		     uint16_t arg)
{
}

void hd_rt_race_lock(enum hd_op op, uintptr_t addr, uint16_t mode)
{
}

void hd_rt_tasks_sync(enum hd_op op, uintptr_t addr, uint64_t value, uint64_t value2, uint32_t size,
		      uint16_t arg)
{
}

void hd_rt_tasks_tell(void)
{
}

void hd_rt_forget_waiters(void)
{
}

void *hd_rt_next(const char *name)
{
	return dlsym(RTLD_NEXT, name);
}

/* Programs with workers are on their own in this: they are not followed. */
bool hd_rt_follow_start(char **envp, int *ring, int *config)
{
	return false;
}

void hd_rt_relative_ends(void)
{
}

uintptr_t hd_rt_name_of_mapped(uintptr_t addr, size_t *len)
{
	return addr;
}
