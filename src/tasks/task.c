/*
 * Launch and async: the life of a task.
 */
#include "task.h"

#include "runtime/explore.h"
#include "runtime/findings.h"
#include "runtime/policy.h"
#include "runtime/tasks_online.h"

struct hd_task *hd_task_enter(uintptr_t caller, const char *call)
{
	struct fiber *f = hd_rt_enter(caller);

	if (!f)
		return NULL;
	if (unlikely(!f->task))
		hd_rt_misuse(0, "%s outside of hj_launch", call);
	return f->task;
}

void hd_task_may_block(struct hd_task *me, const char *call)
{
	if (unlikely(me->isolation != NULL))
		hd_rt_misuse(0, "%s inside an isolated block, which must not wait", call);
	if (unlikely(me->in_single))
		hd_rt_misuse(0, "%s inside a single statement, for which all others wait", call);
}

/* ---- launch ------------------------------------------------------------------ */

HD_EXPORT void hj_launch(hj_fn *fn, void *arg)
{
	uintptr_t caller = HD_CALLER;
	struct fiber *f = hd_rt_enter(caller);
	struct hd_task *me;

	if (!f || f->task) {
		if (f)
			hd_rt_misuse(0, "hj_launch inside a task");
		fn(arg);
		return;
	}
	hd_rt_calm_point();
	hd_rt_explore_uses(HD_X_USES_TASKS);
	me = hd_rt_alloc(sizeof(*me));
	me->fiber = f;
	f->task = me;
	hd_rt_tasks_start();
	hd_rt_event(HD_OP_TASK_BEGIN, 0, f->id, 0);
	hd_finish_begin(me);
	fn(arg);
	hd_rt_enter(caller);
	while (me->top && me->top->outer) {
		hd_rt_misuse_at(me->top->pc, me->top->ctx,
				"a task ended without ending the finish that it began here");
		hd_finish_end(me);
	}
	if (me->top)
		hd_finish_end(me);
	hd_isolated_abandon(me);
	hd_phasers_leave(me, NULL);
	hd_permits_abandon(me);
	hd_worker_release(me);
	hd_rt_event(HD_OP_TASK_END, 0, f->id, 0);
	hd_rt_tasks_tell();
	f->task = NULL;
	hd_rt_free(me, sizeof(*me));
}

/* ---- async ------------------------------------------------------------------- */

static void *task_main(void *arg)
{
	struct hd_task *t = arg;

	hd_rt_event(HD_OP_TASK_BEGIN, 0, t->fiber->id, 0);
	if (t->nawait)
		hd_task_awaited(t);
	if (t->future_fn) {
		void *value = t->future_fn(t->arg);

		hd_rt_calm_point();
		hd_future_put(t->result, value);
	} else {
		t->fn(t->arg);
	}
	return NULL;
}

/* Also when it was left by pthread_exit. */
static void task_ended(struct fiber *f)
{
	struct hd_task *t = f->task;
	struct hd_finish *fin = t->ief;

	hd_finish_abandon(t);
	hd_isolated_abandon(t);
	hd_phasers_leave(t, NULL);
	hd_permits_abandon(t);
	hd_worker_release(t);
	if (t->result)
		hd_future_put(t->result, NULL);
	hd_rt_event(HD_OP_TASK_END, 0, f->id, 0);
	hd_finish_task_ended(fin, t);
	if (t->copied)
		hd_rt_free(t->arg, t->copied);
	hd_rt_free(t->await, t->nawait * sizeof(*t->await));
	f->task = NULL;
	hd_rt_free(t, sizeof(*t));
}

struct hd_task *hd_task_new(struct hd_task *me)
{
	struct hd_task *t;

	hd_rt_calm_point();
	hd_rt_light_throttle();
	t = hd_rt_alloc(sizeof(*t));
	t->ief = t->top = me->top;
	t->ief->pending++;
	t->fiber = hd_rt_light_new(task_main, t, task_ended);
	t->fiber->task = t;
	hd_rt_event(HD_OP_TASK_SPAWN, 0, t->fiber->id, 0);
	return t;
}

void hd_task_go(struct hd_task *t)
{
	if (t->iawait == t->nawait)
		hd_rt_light_ready(t->fiber);
}

HD_EXPORT void hj_async(hj_fn *fn, void *arg)
{
	struct hd_task *me = hd_task_enter(HD_CALLER, "hj_async"), *t;

	if (!me) {
		fn(arg);
		return;
	}
	t = hd_task_new(me);
	t->fn = fn;
	t->arg = arg;
	hd_task_go(t);
}

HD_EXPORT void hj_async_copy(hj_fn *fn, const void *arg, size_t size)
{
	struct hd_task *me = hd_task_enter(HD_CALLER, "hj_async_copy"), *t;

	if (!me) {
		fn((void *)arg);
		return;
	}
	hd_rt_range(arg, size, false);
	t = hd_task_new(me);
	t->fn = fn;
	t->arg = hd_task_object(size ? size : 1);
	t->copied = size ? size : 1;
	hd_rt_copy(t->arg, arg, size);
	hd_task_go(t);
}

HD_EXPORT unsigned hj_task_number(void)
{
	struct fiber *f = hd_rt_enter(HD_CALLER);

	return f && f->task ? f->id : 0;
}

HD_EXPORT void hj_yield(void)
{
	if (hd_rt_enter(HD_CALLER))
		hd_rt_step_aside();
}
