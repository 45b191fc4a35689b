/*
 * What an analysis found while the program runs, into the trace: for the report to name and explain.
 */
#include "race_online.h"
#include "record.h"

void hd_rt_tell_found(const struct hd_found *f, enum hd_finding_kind kind, uint64_t value,
		      uint64_t text)
{
	struct fiber *me = hd_rt.cur;
	uintptr_t pc = me->pc;
	uint32_t ctx = me->ctx;

	hd_rt_record_start(hd_rt.opt.ring_fd);
	hd_rt_event_always(HD_OP_FINDING, f->addr, value, text, (uint16_t)kind);
	for (size_t i = 0; i < f->naccesses; i++) {
		const struct hd_found_access *a = &f->accesses[i];

		me->pc = a->event.pc;
		me->ctx = a->event.ctx;
		hd_rt_access_event(a->event.addr, a->event.thread, a->event.op,
				   a->event.size ? a->event.size : f->size, (uint16_t)i);
		for (size_t k = 0; k < a->nlocks; k++)
			hd_rt_event_always(HD_OP_HOLDS, a->locks[k].addr, a->event.thread, 0,
					   a->locks[k].mode);
	}
	me->pc = pc;
	me->ctx = ctx;
	hd_rt_event_always(HD_OP_FINDING_END, 0, 0, 0, 0);
}
