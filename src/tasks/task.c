/*
 * The life of a task on a fiber, and launch.
 */
#include "task.h"

#include "runtime/observe/tasks_online.h"
#include "runtime/rt.h"

/* ---- launch ------------------------------------------------------------------ */

HD_EXPORT void hj_launch(hj_fn *fn, void *arg)
{
	uintptr_t caller = HD_CALLER;
	struct fiber *f = hd_rt_enter(caller);
	struct hj_thrown_ *thrown;
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
	me->strand = f;
	f->task = me;
	hd_rt_tasks_start();
	thrown = hd_task_root(me, fn, arg, caller);
	hd_rt_tasks_tell();
	f->task = NULL;
	hd_rt_free(me, sizeof(*me));
	hd_throw(thrown);
}

/* ---- async ------------------------------------------------------------------- */

static void *task_main(void *arg)
{
	hd_task_perform(arg);
	return NULL;
}

/* Also when it was left by pthread_exit. */
static void task_ended(struct fiber *f)
{
	struct hd_task *t = f->task;

	hd_task_wind_up(t);
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
	t->strand = hd_rt_light_new(task_main, t, task_ended);
	t->strand->task = t;
	hd_rt_event(HD_OP_TASK_SPAWN, 0, t->strand->id, 0);
	return t;
}

void hd_task_go(struct hd_task *t)
{
	if (!hd_task_awaits(t))
		hd_rt_light_ready(t->strand);
}

HD_EXPORT void hj_yield(void)
{
	if (hd_rt_enter(HD_CALLER))
		hd_rt_step_aside();
}
