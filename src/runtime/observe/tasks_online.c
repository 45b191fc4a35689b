#include "runtime/abi/idle_reads.h"
#include "runtime/abi/inline_check.h"
#include "tasks_online.h"

#include "access_event.h"
#include "analysis/tasks/task_front.h"
#include "race_online.h"
#include "record.h"
#include "runtime/memory/arena.h"
#include "runtime/thread/thread.h"

static struct hd_task_check *check;

/* Locations that nothing happened to but plain accesses; if there is memory for them. */
static struct hd_task_front front;
static bool fronted;
/* The step that a fiber is in; 0: to be asked for. */
static hd_dpst_id step;
static uint32_t step_fiber;

bool hd_rt_has_tasks;

uint64_t hd_rt_tasks_memory;

void (*hd_rt_on_access)(uintptr_t addr, uint64_t len, bool write, uintptr_t pc);

static void give_up(void)
{
	hd_rt.mode &= (uint16_t)~HD_M_TASKS;
	hd_rt_drop("analysis of tasks: there is no memory");
}

void hd_rt_tasks_start(void)
{
	const struct hd_task_options o = {
		.algorithm = hd_rt.opt.tasks ? (enum hd_task_algorithm)(hd_rt.opt.tasks - 1) : 0,
		.steps_atomic = hd_rt.opt.atomic_steps,
	};
	struct hd_thin_lane *lane;

	hd_rt_has_tasks = true;
	if (!hd_rt.opt.tasks || check)
		return;
	check = hd_task_check_new(&o);
	if (!check) {
		give_up();
		return;
	}
	lane = hd_rt_reserve(sizeof(*lane));
	fronted = lane && hd_task_front_init(&front, check, &o);
	if (fronted)
		hd_task_front_one_lane(&front, lane);
	hd_rt.mode |= HD_M_TASKS;
	hd_rt_inline_refresh();
	hd_rt_held_each(hd_rt_tasks_sync);
}

void hd_rt_tasks_tell(void)
{
	uint16_t mode = hd_rt.mode;

	if (!check)
		return;
	hd_rt.mode &= (uint16_t)~HD_M_TASKS; /* what is told now is no part of the run */
	if (hd_task_check_finish(check, hd_rt_tell_task_found, NULL) != HD_OK)
		give_up();
	else
		hd_rt.mode = mode;
	hd_rt_tell_task_limits(check);
}

static void take(const struct hd_event *ev)
{
	enum hd_err err = fronted ? hd_task_front_event(&front, ev, HD_NO_INDEX)
				  : hd_task_check_event(check, ev, HD_NO_INDEX);

	if (unlikely(err != HD_OK))
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

	if (op == HD_OP_TASK_BEGIN || (op == HD_OP_PHASER_SIGNAL && arg == HD_TEAM_TASK))
		return; /* each task has several, and nothing comes of them */
	step = 0;
	hd_rt_inline_no_step();
	hd_rt_tasks_memory += op == HD_OP_ALLOC || op == HD_OP_FREE;
	take(&ev);
}

bool hd_rt_tasks_own(uintptr_t addr)
{
	if (!fronted)
		return false;
	hd_task_front_at(&front, addr);
	return front.lane->own;
}

static bool find_step(void)
{
	if (likely(step && step_fiber == hd_rt.cur->id && heddle_inline1_tags != HD_INLINE_NEVER))
		return true;
	if (!step || step_fiber != hd_rt.cur->id) {
		step_fiber = hd_rt.cur->id;
		step = fronted ? hd_task_front_step(&front, step_fiber) : 0;
	}
	if (step)
		hd_rt_inline_new_step();
	return step;
}

/* Is the step done with such accesses there? */
static bool is_done(uintptr_t addr, unsigned size, bool write)
{
	return hd_thin_seen(&front.thin, step, addr, size, write) ||
	       hd_thin_seen_bytes(&front.thin, step, addr, size, write);
}

bool hd_rt_tasks_thin(uintptr_t addr, unsigned size, bool write, uintptr_t pc, uint32_t ctx,
		      bool *done)
{
	struct hd_thin_place place;

	*done = false;
	if (!step || step_fiber != hd_rt.cur->id)
		return false;
	if (!is_done(addr, size, write)) {
		place = hd_thin_place(pc, ctx, addr, size, write);
		hd_task_front_at(&front, addr);
		return hd_thin_access(&front.thin, front.lane, step, addr, &place);
	}
	*done = !write || is_done(addr, size, false);
	return true;
}

bool hd_rt_tasks_may_range(void)
{
	return find_step() && heddle_inline1_tags != HD_INLINE_NEVER;
}

void hd_rt_tasks_range(uintptr_t addr, size_t len, unsigned size, bool write, uintptr_t pc)
{
	const uintptr_t end = addr + len;
	uint32_t ctx = hd_rt_context();

	while (addr < end) {
		if (!(addr & (HD_THIN_LINE - 1)) && end - addr >= HD_THIN_LINE && find_step() &&
		    hd_task_front_at_line(&front, addr) &&
		    hd_thin_access_line(&front.thin, front.lane, step, addr, size, write, pc,
					ctx)) {
			addr += HD_THIN_LINE;
			continue;
		}
		hd_rt_tasks_access(addr, size, write, pc);
		addr += size;
	}
}

bool hd_rt_tasks_done(uintptr_t addr, unsigned size, bool write)
{
	return size <= 8 && step && step_fiber == hd_rt.cur->id && is_done(addr, size, false) &&
	       (!write || is_done(addr, size, true));
}

/* As many bytes of an access as thin locations answer. */
static uint64_t thin(uintptr_t addr, uint64_t len, bool write, uintptr_t pc)
{
	uint64_t done = 0;

	while (done < len) {
		uintptr_t at = addr + done;
		struct hd_thin_place place;
		unsigned n = 8;

		while ((at & (n - 1)) || n > len - done)
			n /= 2;
		if (!hd_thin_seen(&front.thin, step, at, n, write)) {
			place = hd_thin_place(pc, hd_rt_context(), at, n, write);
			hd_task_front_at(&front, at);
			if (!hd_thin_access(&front.thin, front.lane, step, at, &place))
				break;
		}
		done += n;
	}
	return done;
}

void hd_rt_tasks_access(uintptr_t addr, uint64_t len, bool write, uintptr_t pc)
{
	struct hd_event ev = { .thread = hd_rt.cur->id, .pc = pc };
	uint64_t done = find_step() ? thin(addr, len, write, pc) : 0;

	if (done == len)
		return;
	ev.addr = addr + done;
	ev.ctx = hd_rt_context();
	hd_event_set_access(&ev, len - done, write);
	if (!write && hd_is_idle_read(pc))
		ev.arg = HD_ACCESS_IDLE;
	take(&ev);
}
