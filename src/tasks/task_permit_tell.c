/*
 * A conflict of permission regions, into the trace.
 */
#include "runtime/explore/explore.h"
#include "runtime/observe/record.h"
#include "runtime/rt.h"
#include "task.h"

static void tell_region(uintptr_t addr, uint32_t task, bool write, uintptr_t pc, uint32_t ctx,
			uint16_t number)
{
	struct hd_elsewhere from = hd_rt_go_elsewhere();

	hd_rt_is_at(pc, ctx);
	hd_rt_access_event(addr, task, write ? HD_OP_WRITE : HD_OP_READ, 0, number);
	hd_rt_come_back(&from);
}

void hd_permit_tell(const struct hd_permit_conflict *c)
{
	struct fiber *me = hd_rt.cur;

	if (hd_rt.exploring)
		hd_rt_explore_fault_between(HD_KIND_PERMISSION, c->other_pc, me->pc);
	hd_rt_record_start(hd_rt.opt.ring_fd);
	hd_rt_event_always(HD_OP_FINDING, c->addr, c->index, hd_rt_string(c->text),
			   HD_KIND_PERMISSION);
	tell_region(c->addr, c->other, c->other_writes, c->other_pc, c->other_ctx, 0);
	tell_region(c->addr, me->id, c->write, me->pc, hd_rt_context(), 1);
	hd_rt_event_always(HD_OP_FINDING_END, 0, 0, 0, 0);
}
