/*
 * What an analysis found while the program runs, into the trace: for the report to name and explain.
 */
#include "analysis/tasks/task_check.h"
#include "race_online.h"
#include "record.h"
#include "runtime/explore/explore.h"
#include "tasks_online.h"

static bool is_volatile(const struct hd_event *ev)
{
	return (ev->op == HD_OP_READ || ev->op == HD_OP_WRITE) && (ev->arg & HD_ACCESS_VOLATILE);
}

void hd_rt_tell_found(const struct hd_found *f, enum hd_kind kind, uint64_t value, uint64_t text)
{
	struct hd_elsewhere from;

	hd_rt_record_start(hd_rt.opt.ring_fd);
	hd_rt_event_always(HD_OP_FINDING, f->addr, value, text, (uint16_t)kind);
	from = hd_rt_go_elsewhere();
	for (size_t i = 0; i < f->naccesses; i++) {
		const struct hd_found_access *a = &f->accesses[i];

		hd_rt_is_at(a->event.pc, a->event.ctx);
		hd_rt_access_event(a->event.addr, a->event.thread, a->event.op,
				   a->event.size ? a->event.size : f->size,
				   (uint16_t)i | (a->tears ? HD_ACCESS_TEARS : 0) |
					   (is_volatile(&a->event) ? HD_ACCESS_BY_VOLATILE : 0));
		if (a->within.kind)
			hd_rt_event_always(HD_OP_WITHIN, a->within.region, a->within.place,
					   a->within.number, (uint16_t)a->within.kind);
		for (size_t k = 0; k < a->nlocks; k++)
			hd_rt_event_always(HD_OP_HOLDS, a->locks[k].addr, a->event.thread, 0,
					   a->locks[k].mode);
	}
	hd_rt_come_back(&from);
	hd_rt_event_always(HD_OP_FINDING_END, 0, 0, 0, 0);
}

void hd_rt_tell_task_found(void *arg, const struct hd_found *f)
{
	uint64_t group = f->group >= 0 ? (uint64_t)f->group + 1 : 0;
	/* Of tasks, the trace has what was seen as what some schedule has, with a bit that says so. */
	bool seen = f->kind == HD_KIND_ATOMICITY;
	enum hd_kind kind = seen ? HD_KIND_TASK_ATOMICITY : f->kind;

	if (f->doubtful)
		return; /* counted: hd_rt_tell_task_limits() */
	if (hd_rt.exploring && kind != HD_KIND_PATTERN && f->naccesses > 1)
		hd_rt_explore_fault_between(kind, f->accesses[0].event.pc, f->accesses[1].event.pc);
	hd_rt_record_start(hd_rt.opt.ring_fd); /* before the string */
	hd_rt_tell_found(f, kind, f->size | group << 32 | (uint64_t)seen << 63,
			 f->parallel ? hd_rt_string(f->parallel) : 0);
}

void hd_rt_tell_task_limits(const struct hd_task_check *check)
{
	static bool told;
	struct hd_task_stats s;

	hd_task_check_stats(check, &s);
	if (told)
		return;
	told = s.borrowed || s.doubtful || s.crowded || s.bounded || s.groups_left_out;
	if (s.borrowed)
		hd_rt_drop("analysis of tasks: other orders of atomics, semaphores or the like");
	if (s.doubtful)
		hd_rt_drop("analysis of tasks: what a value that was read under a lock may order; "
			   "`heddle check` decides");
	if (s.crowded || s.bounded)
		hd_rt_drop(
			"analysis of tasks: pairs of tasks, too many of which wait for each other");
	if (s.groups_left_out)
		hd_rt_drop("analysis of tasks: tasks that do too much at a time to a group");
}
