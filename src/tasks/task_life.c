/*
 * What a task does from its beginning to its end, whatever carries it.
 */
#include "task.h"

/* What it must not leave behind. */
static void let_go(struct hd_task *me)
{
	hd_isolated_abandon(me);
	if (me->phasers)
		hd_phasers_leave(me, NULL);
	if (me->permits)
		hd_permits_abandon(me);
	hd_worker_release(me);
}

struct hj_thrown_ *hd_task_root(struct hd_task *me, hj_fn *fn, void *arg, uintptr_t caller)
{
	struct hj_thrown_ *thrown;

	hd_carrier_event(HD_OP_TASK_BEGIN, 0, hd_strand_id(me->strand), 0);
	hd_finish_begin(me);
	me->threw = hd_call_catching(fn, arg, me->top);
	hd_carrier_enter(caller);
	hd_finish_abandon(me);
	thrown = hd_finish_end(me);
	let_go(me);
	hd_carrier_event(HD_OP_TASK_END, 0, hd_strand_id(me->strand), 0);
	return thrown;
}

static void call_task(void *arg)
{
	struct hd_task *t = arg;
	void *value;

	if (!t->future_fn) {
		t->fn(t->arg);
		return;
	}
	value = t->future_fn(t->arg);
	hd_carrier_calm_point();
	hd_future_put(t->result, value);
	t->result = NULL;
}

void hd_task_perform(struct hd_task *t)
{
	hd_carrier_event(HD_OP_TASK_BEGIN, 0, hd_strand_id(t->strand), 0);
	if (t->nawait)
		hd_task_awaited(t);
	t->threw = hd_call_catching(call_task, t, t->ief);
}

void hd_task_wind_up(struct hd_task *t)
{
	hd_finish_abandon(t);
	let_go(t);
	if (t->result)
		hd_future_put(t->result, NULL);
	hd_carrier_event(HD_OP_TASK_END, 0, hd_strand_id(t->strand), 0);
	hd_finish_task_ended(t->ief, t);
	if (t->copied)
		hd_carrier_free(t->arg, t->copied);
	if (t->nawait)
		hd_carrier_free(t->await, t->nawait * sizeof(*t->await));
}
