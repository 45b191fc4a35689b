#include "runtime/abi/idle_reads.h"
#include "runtime/abi/inline_check.h"
#include "tasks_online.h"

#include "access_event.h"
#include "analysis/tasks/task_check.h"
#include "race_online.h"
#include "record.h"
#include "runtime/thread/thread.h"

static struct hd_task_check *check;

bool hd_rt_has_tasks;

static void give_up(void)
{
	hd_rt.mode &= (uint8_t)~HD_M_TASKS;
	hd_rt_drop("analysis of tasks: there is no memory");
}

void hd_rt_tasks_start(void)
{
	const struct hd_task_options o = {
		.algorithm = hd_rt.opt.tasks ? (enum hd_task_algorithm)(hd_rt.opt.tasks - 1) : 0,
		.steps_atomic = hd_rt.opt.atomic_steps,
	};

	hd_rt_has_tasks = true;
	if (!hd_rt.opt.tasks || check)
		return;
	check = hd_task_check_new(&o);
	if (!check) {
		give_up();
		return;
	}
	hd_rt.mode |= HD_M_TASKS;
	hd_rt_inline_refresh();
	hd_rt_held_each(hd_rt_tasks_sync);
}

void hd_rt_tasks_tell(void)
{
	uint8_t mode = hd_rt.mode;

	if (!check)
		return;
	hd_rt.mode &= (uint8_t)~HD_M_TASKS; /* what is told now is no part of the run */
	if (hd_task_check_finish(check, hd_rt_tell_task_found, NULL) != HD_OK)
		give_up();
	else
		hd_rt.mode = mode;
	hd_rt_tell_task_limits(check);
}

static void take(const struct hd_event *ev)
{
	if (unlikely(hd_task_check_event(check, ev, HD_NO_INDEX) != HD_OK))
		give_up();
}

void hd_rt_tasks_sync(enum hd_op op, uintptr_t addr, uint64_t value, uint64_t value2, uint32_t size,
		      uint16_t arg)
{
	const struct hd_event ev = { .addr = addr,
				     .value = value,
				     .value2 = value2,
				     .size = size,
				     .arg = arg,
				     .op = (uint8_t)op,
				     .thread = hd_rt.cur->id,
				     .pc = hd_rt.cur->pc,
				     .ctx = hd_rt_context() };

	take(&ev);
}

void hd_rt_tasks_access(uintptr_t addr, uint64_t len, bool write, uintptr_t pc)
{
	struct hd_event ev = {
		.addr = addr, .thread = hd_rt.cur->id, .pc = pc, .ctx = hd_rt_context()
	};

	hd_event_set_access(&ev, len, write);
	if (!write && hd_is_idle_read(pc))
		ev.arg = HD_ACCESS_IDLE;
	take(&ev);
}
