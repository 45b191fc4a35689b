/*
 * The fan-out: what the current fiber does goes to everyone who wants to know, in one order.
 *
 *   heap      first: a use of freed memory is told before anything is made of it
 *   plan      has the run left its plan, or come to its goal?
 *   model     what happens before what, for --model c11
 *   races     analyses while the program runs; what they find is in the trace before the event
 *   tasks     that shows it
 *   explorer  after the analyses: a hook runs before its access, and the events of a finding would
 *             take the write for done (state.h)
 *   trace     last: for the same reason, a write is recorded without its value, which whatever is
 *             recorded next picks up (hd_rt_settle)
 *
 * Everything here is inlined with a constant kind, so that each caller has the tests of its kind
 * and no others.
 */
#ifndef HD_RUNTIME_EMIT_H
#define HD_RUNTIME_EMIT_H

#include "race_online.h"
#include "record.h"
#include "runtime/explore/explore.h"
#include "runtime/memory/heap_check.h"
#include "runtime/memory/mapped_twice.h"
#include "runtime/rt.h"
#include "runtime/weak/weak.h"
#include "tasks_online.h"

enum hd_emit_kind {
	HD_EMIT_ACCESS, /* a plain access, about to happen */
	HD_EMIT_ATOMIC, /* an atomic operation, done */
	HD_EMIT_SYNC,	/* something else that may order threads or tasks */
	HD_EMIT_ALWAYS, /* the same, recorded whatever the options say: threads, findings */
};

struct hd_emit {
	enum hd_emit_kind kind;
	enum hd_op op;
	uint16_t arg;
	bool write;   /* accesses: it changes memory */
	bool later;   /* a store whose value is not there yet */
	uint32_t len; /* atomics: bytes */
	uintptr_t addr, pc;
	uint64_t value, value2; /* accesses: value is the number of bytes */
};

/* abi_access.c: a plain access for those who do not take it as it is. */
void hd_rt_plan_access(enum hd_op op, uintptr_t addr, uint64_t len, uintptr_t pc);
void hd_rt_explore_access(uintptr_t addr, uint64_t len, bool write, uint16_t flags, uintptr_t pc);
void hd_rt_record_access(enum hd_op op, uintptr_t addr, uint64_t len, uint16_t flags, uintptr_t pc);

#define HD_EMIT_PART static inline __attribute__((always_inline)) void

HD_EMIT_PART hd_emit_to_heap(const struct hd_emit *e)
{
	if (e->kind == HD_EMIT_ACCESS)
		hd_rt_heap_look(e->addr, e->value, e->op);
	else if (e->kind == HD_EMIT_ATOMIC)
		hd_rt_heap_look(e->addr, e->len, e->op);
	else if (e->kind == HD_EMIT_SYNC)
		hd_rt_heap_look_at_object(e->op, e->addr);
}

HD_EMIT_PART hd_emit_to_plan(const struct hd_emit *e)
{
	if (likely(!hd_rt.planning))
		return;
	if (e->kind == HD_EMIT_ACCESS)
		hd_rt_plan_access(e->op, e->addr, e->value, e->pc);
	else
		hd_rt_plan_event(e->op, e->addr, e->value, e->value2, e->pc);
}

/* The scheduler's and the reporter's own events order nothing. */
#define HD_EMIT_ORDERS(e) ((e)->kind == HD_EMIT_ATOMIC || (e)->op < HD_OP_CHOICE)

HD_EMIT_PART hd_emit_to_model(const struct hd_emit *e)
{
	if ((e->kind == HD_EMIT_SYNC || e->kind == HD_EMIT_ALWAYS) && hd_rt_is_weak())
		hd_rt_weak_event(e->op, e->addr, e->value, e->arg);
}

HD_EMIT_PART hd_emit_to_races(const struct hd_emit *e)
{
	if (!hd_rt_racing())
		return;
	if (e->kind == HD_EMIT_ACCESS)
		hd_rt_race_access(e->addr, e->value, e->write, e->arg, e->pc);
	else if (HD_EMIT_ORDERS(e))
		hd_rt_race_sync(e->op, e->addr, e->value, e->value2, e->len, e->arg);
}

HD_EMIT_PART hd_emit_to_tasks(const struct hd_emit *e)
{
	if (unlikely(hd_rt_on_access) && e->kind == HD_EMIT_ACCESS)
		hd_rt_on_access(e->addr, e->value, e->write, e->pc);
	if (!hd_rt_tasking())
		return;
	if (e->kind == HD_EMIT_ACCESS)
		hd_rt_tasks_access(e->addr, e->value, e->write, e->pc);
	else if (HD_EMIT_ORDERS(e))
		hd_rt_tasks_sync(e->op, e->addr, e->value, e->value2, e->len, e->arg);
}

HD_EMIT_PART hd_emit_to_explorer(const struct hd_emit *e)
{
	if (likely(!hd_rt.exploring))
		return;
	if (e->kind == HD_EMIT_ACCESS)
		hd_rt_explore_access(e->addr, e->value, e->write, e->arg, e->pc);
	else
		hd_rt_explore_event(e->op, e->addr, e->value, e->len, e->arg);
}

HD_EMIT_PART hd_emit_to_trace(const struct hd_emit *e)
{
	if (e->kind == HD_EMIT_ACCESS) {
		if (hd_rt.mode & HD_M_RECORD)
			hd_rt_record_access(e->op, e->addr, e->value, e->arg, e->pc);
		return;
	}
	if (!hd_rt_recording() || (e->kind != HD_EMIT_ALWAYS && hd_rt.opt.record == HD_REC_NONE))
		return;
	if (unlikely(HD_RING_SEALED(e->op)))
		hd_rt_seal();
	if (unlikely(e->later))
		hd_rt_put_later(e->op, e->addr, e->len, e->arg, e->pc);
	else
		hd_rt_put(e->op, e->addr, e->value, e->len, e->arg, e->pc);
	if (e->value2)
		hd_rt_put_raw(HD_RAW_VALUE2, 0, e->value2, 0);
}

HD_EMIT_PART hd_rt_emit(const struct hd_emit *e)
{
	hd_emit_to_heap(e);
	hd_emit_to_plan(e);
	hd_emit_to_model(e);
	hd_emit_to_races(e);
	hd_emit_to_tasks(e);
	hd_emit_to_explorer(e);
	hd_emit_to_trace(e);
}

/* abi_access.c: the same of memory that may have several addresses. */
void hd_rt_emit_access_named(enum hd_op op, uintptr_t addr, uint64_t len, bool write,
			     uint16_t flags, uintptr_t pc);

/* The current fiber is about to access @len bytes; @op says whether they have one value. */
HD_EMIT_PART hd_rt_emit_access(enum hd_op op, uintptr_t addr, uint64_t len, bool write,
			       uint16_t flags, uintptr_t pc)
{
	if (unlikely(hd_rt.mode & HD_M_TWICE)) {
		hd_rt_emit_access_named(op, addr, len, write, flags, pc);
		return;
	}
	hd_rt_emit(&(struct hd_emit){ .kind = HD_EMIT_ACCESS,
				      .op = op,
				      .addr = addr,
				      .value = len,
				      .write = write,
				      .arg = flags,
				      .pc = pc });
}

#undef HD_EMIT_PART

#endif
