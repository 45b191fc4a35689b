#include "par_tell.h"

#include "runtime/memory/arena.h"
#include "runtime/observe/record.h"
#include "runtime/observe/tasks_online.h"
#include "runtime/options.h"
#include "runtime/rt.h"
#include "runtime/sys.h"

#define MAX_FRAMES 64

void hd_par_tell_start(struct hd_par_options *o)
{
	hd_rt_options_read();
	hd_rt.pid = (int)hd_sys(SYS_getpid);
	hd_rt.opt.record = HD_REC_NONE;
	hd_rt.active = true;
	*o = (struct hd_par_options){
		.workers = hd_rt.opt.parallel,
		.checks = hd_rt.opt.tasks != 0,
		.tasks = { .algorithm = hd_rt.opt.tasks
						? (enum hd_task_algorithm)(hd_rt.opt.tasks - 1)
						: 0,
			   .steps_atomic = hd_rt.opt.atomic_steps,
			   .no_races = !hd_rt.opt.races },
		.stats = hd_rt.opt.stats,
		.exitcode = hd_rt.opt.exitcode,
	};
}

void hd_par_tell_attach(void)
{
	if (hd_rt.opt.ring_fd >= 0)
		hd_rt_record_start(hd_rt.opt.ring_fd);
}

void hd_par_tell_end(int status)
{
	hd_rt.cur->id = 1;
	hd_rt_finish(status);
}

void hd_par_tell_openmp(void)
{
	static const char line[] = "heddle: " HD_REFUSED_OPENMP "\n";

	hd_par_tell_attach();
	if (hd_rt.recording)
		hd_rt_ring.ring.refused = 1;
	else
		hd_sys(SYS_write, 2, line, sizeof(line) - 1);
	for (;;)
		hd_sys(SYS_exit_group, 2);
}

static void as(uint32_t task, uintptr_t pc, uint32_t ctx)
{
	hd_rt.cur->id = task;
	hd_rt_is_at(pc, ctx);
}

void hd_par_tell_task(uint32_t id, uint32_t parent, uintptr_t pc, uint32_t ctx)
{
	as(parent, pc, ctx);
	hd_rt_event_always(HD_OP_FORK, 0, id, 0, 0);
	as(id, 0, 0);
	hd_rt_event_always(HD_OP_THREAD_BEGIN, 0, 0, 0, 0);
}

void hd_par_tell_named(uintptr_t addr, size_t len)
{
	as(1, 0, 0);
	hd_rt_event_always(HD_OP_NAMED, addr, len, 0, 0);
}

void hd_par_tell_found(const struct hd_found *f)
{
	as(f->accesses[f->naccesses - 1].event.thread, 0, 0);
	hd_rt_tell_task_found(NULL, f);
}

void hd_par_tell_limits(const struct hd_task_check *check)
{
	hd_rt_tell_task_limits(check);
}

void hd_par_tell_stats(const struct hd_task_stats *s)
{
	char text[512];
	unsigned long each = s->locations ? 10 * s->location_bytes / s->locations : 0;
	unsigned long unique = s->queries ? 1000 * s->walks / s->queries : 0;

	hd_rt_print(text, sizeof(text),
		    "stats: tasks %lu, steps %lu, tree nodes %lu of %lu bytes, locations %lu, "
		    "%lu.%lu bytes each\nstats: LCA queries %lu, %lu.%lu %% of them unique\n",
		    (unsigned long)s->tasks, (unsigned long)s->steps, (unsigned long)s->nodes,
		    (unsigned long)s->node_bytes, (unsigned long)s->locations, each / 10, each % 10,
		    (unsigned long)s->queries, unique / 10, unique % 10);
	hd_sys(SYS_write, 2, text, hd_rt_strlen(text));
}

void hd_par_tell_begin(unsigned kind, uintptr_t addr, uint64_t value, const char *text,
		       uint32_t task)
{
	as(task, 0, 0);
	hd_rt_record_start(hd_rt.opt.ring_fd);
	hd_rt_event_always(HD_OP_FINDING, addr, value, hd_rt_string(text), (uint16_t)kind);
}

void hd_par_tell_state(uint32_t task, unsigned state, uintptr_t addr)
{
	hd_rt_event_always(HD_OP_STATE, addr, task, 0, (uint16_t)state);
}

void hd_par_tell_frame(uintptr_t pc)
{
	hd_rt_event_always(HD_OP_FRAME, 0, pc, 0, 0);
}

void hd_par_tell_frames(uintptr_t pc, uint32_t ctx)
{
	for (unsigned n = 0; pc && n < MAX_FRAMES; n++) {
		hd_par_tell_frame(pc);
		ctx = hd_rt_context_up(ctx, &pc);
	}
}

void hd_par_tell_access(uintptr_t addr, uint32_t task, bool write, uintptr_t pc, uint32_t ctx,
			unsigned number)
{
	uint32_t id = hd_rt.cur->id;

	as(id, pc, ctx);
	hd_rt_access_event(addr, task, write ? HD_OP_WRITE : HD_OP_READ, 0, (uint16_t)number);
}

void hd_par_tell_finish(void)
{
	hd_rt_event_always(HD_OP_FINDING_END, 0, 0, 0, 0);
}

void hd_par_tell_drop(const char *reason)
{
	hd_rt_drop(reason);
}

uint32_t hd_par_tell_context(uint32_t parent, uintptr_t pc)
{
	return hd_rt_context_child(parent, pc);
}
