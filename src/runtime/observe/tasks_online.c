#include "tasks_online.h"

#include "analysis/tasks/task_check.h"
#include "race_online.h"
#include "record.h"

static struct hd_task_check *check;

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
	const struct fiber *me = hd_rt.cur;

	if (!hd_rt.opt.tasks || check)
		return;
	check = hd_task_check_new(&o);
	if (!check) {
		give_up();
		return;
	}
	hd_rt.mode |= HD_M_TASKS;
	for (uint32_t i = 0; i < me->locks.n; i++)
		hd_rt_tasks_sync(HD_OP_ACQUIRE, me->locks.held[i].addr, 0, 0, 0,
				 me->locks.held[i].mode);
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

void hd_rt_tasks_sync(enum hd_op op, uintptr_t addr, uint64_t value, uint64_t value2,
		      uint32_t size, uint16_t arg)
{
	const struct hd_event ev = { .addr = addr, .value = value, .value2 = value2, .size = size,
				     .arg = arg, .op = (uint8_t)op, .thread = hd_rt.cur->id,
				     .pc = hd_rt.cur->pc, .ctx = hd_rt.cur->ctx };

	take(&ev);
}

void hd_rt_tasks_access(uintptr_t addr, uint64_t len, bool write, uintptr_t pc)
{
	struct hd_event ev = { .addr = addr, .thread = hd_rt.cur->id, .pc = pc,
			       .ctx = hd_rt.cur->ctx };

	if (likely(len <= 8)) {
		ev.op = write ? HD_OP_WRITE : HD_OP_READ;
		ev.size = (uint32_t)len;
	} else {
		ev.op = write ? HD_OP_WRITE_RANGE : HD_OP_READ_RANGE;
		ev.value = len;
	}
	take(&ev);
}
