#include "fake_runtime.h"

#include <dlfcn.h>

#include "runtime/explore/explore.h"
#include "runtime/memory/mapped_twice.h"
#include "runtime/real.h"
#include "runtime/sched/policy.h"
#include "runtime/thread/thread.h"
#include "runtime/weak/weak.h"

struct fiber hd_rt_main_fiber = { .id = 1, .run_index = -1, .wait.deadline = HD_NEVER };
struct hd_rt hd_rt = { .cur = &hd_rt_main_fiber, .all_tail = &hd_rt.all };

static const struct hd_policy none = { .name = "none" };
const struct hd_policy *hd_rt_policy = &none;

struct fiber *fake_candidates[256];
unsigned fake_ncandidates, fake_choice;

void fake_fiber(struct fiber *f, uint32_t id)
{
	*f = (struct fiber){ .id = id, .run_index = -1, .wait.deadline = HD_NEVER };
}

struct fiber *hd_rt_choose(enum hd_pick why, struct fiber *const *cand, unsigned n)
{
	fake_ncandidates = n;
	for (unsigned i = 0; i < n && i < 256; i++)
		fake_candidates[i] = cand[i];
	return cand[fake_choice];
}

void hd_rt_explore_wake(const struct fiber *f)
{
}

void hd_rt_note_stack_write(void)
{
}

struct fiber *hd_rt_fiber_by_id(uint32_t id)
{
	for (struct fiber *f = hd_rt.all; f; f = f->next) {
		if (f->id == id)
			return f;
	}
	return NULL;
}

void *hd_rt_next(const char *name)
{
	return dlsym(RTLD_NEXT, name);
}

bool hd_rt_weak_reads_on(struct fiber *f)
{
	(void)f;
	return false;
}

uint64_t hd_rt_weak_state(void)
{
	return 0;
}

uintptr_t hd_rt_name_of_mapped(uintptr_t addr, size_t *len)
{
	(void)len;
	return addr;
}
