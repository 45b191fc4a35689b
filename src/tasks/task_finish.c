/*
 * Finish: wait for all tasks made inside, and in these, and so on.
 *
 * A task counts with the innermost finish around its spawn. Tasks whose own finishes are open
 * have not ended, so waiting for the direct ones is waiting for all.
 */
#include "task.h"

static uint64_t numbers;

struct hd_finish *hd_finish_begin(struct hd_task *me)
{
	struct hd_finish *fin = hd_carrier_alloc(sizeof(*fin));

	fin->outer = me->top;
	fin->owner = me;
	fin->pending = HD_FINISH_TOKEN;
	fin->number = __atomic_add_fetch(&numbers, 1, __ATOMIC_RELAXED);
	fin->pc = hd_strand_pc(me->strand);
	fin->ctx = hd_strand_ctx(me->strand);
	me->top = fin;
	hd_carrier_event(HD_OP_FINISH_BEGIN, 0, fin->number, 0);
	return fin;
}

struct hj_thrown_ *hd_finish_end(struct hd_task *me)
{
	struct hd_finish *fin = me->top;
	struct hj_thrown_ *thrown;

	if (me->phasers)
		hd_phasers_leave(me, fin);
	hd_finish_wait(fin);
	hd_carrier_event(HD_OP_FINISH_END, 0, fin->number, 0);
	me->top = fin->outer;
	thrown = fin->thrown;
	hd_finish_discard(fin);
	return thrown;
}

/* Is the innermost finish @me's own? Else the call has nothing to end. */
static bool owns_top(struct hd_task *me, const char *call)
{
	if (me->top->owner == me && (me->ief || me->top->outer))
		return true;
	hd_carrier_misuse(0, "%s without a finish that this task began", call);
	return false;
}

/* The last of a launch's task is its own. */
static bool is_left_open(const struct hd_task *me)
{
	return me->ief ? me->top != me->ief : me->top->outer != NULL;
}

void hd_finish_abandon(struct hd_task *me)
{
	while (is_left_open(me)) {
		struct hd_finish *fin = me->top;
		struct hj_thrown_ *thrown;

		if (!me->threw)
			hd_carrier_misuse_at(
				fin->pc, fin->ctx,
				"a task ended without ending the finish that it began here");
		thrown = hd_finish_end(me);
		hd_throw_later(me->top, thrown);
	}
}

HD_EXPORT void hj_finish_begin(void)
{
	struct hd_task *me = hd_task_enter(HD_CALLER, "hj_finish_begin");

	if (!me)
		return;
	hd_task_may_block(me, "a finish");
	hd_finish_begin(me);
}

HD_EXPORT void hj_finish_end(void)
{
	struct hd_task *me = hd_task_enter(HD_CALLER, "hj_finish_end");

	if (!me || !owns_top(me, "hj_finish_end"))
		return;
	hd_carrier_calm_point();
	hd_throw(hd_finish_end(me));
}

HD_EXPORT void hj_finish(hj_fn *fn, void *arg)
{
	uintptr_t caller = HD_CALLER;
	struct hd_task *me = hd_task_enter(caller, "hj_finish");
	struct hd_finish *fin;
	bool threw;

	if (!me) {
		fn(arg);
		return;
	}
	hd_task_may_block(me, "a finish");
	fin = hd_finish_begin(me);
	threw = hd_call_catching(fn, arg, fin);
	hd_carrier_enter(caller);
	hd_carrier_calm_point();
	while (me->top != fin && me->top->owner == me) {
		if (!threw)
			hd_carrier_misuse(0,
					  "a finish is still open at the end of the one around it");
		hd_throw_later(fin, hd_finish_end(me));
	}
	hd_throw(hd_finish_end(me));
}

/* ---- HJ_FINISH --------------------------------------------------------------- */

HD_EXPORT struct hj_scope_ hj_finish_open_(void)
{
	struct hd_task *me = hd_task_enter(HD_CALLER, "HJ_FINISH");

	if (me) {
		hd_task_may_block(me, "a finish");
		hd_finish_begin(me);
	}
	return (struct hj_scope_){ .open = 1 };
}

HD_EXPORT void hj_finish_close_(struct hj_scope_ *scope)
{
	struct hd_task *me = hd_task_here(HD_CALLER);

	scope->open = 0;
	if (!me || !owns_top(me, "the end of HJ_FINISH"))
		return;
	hd_carrier_calm_point();
	hd_throw(hd_finish_end(me));
}

HD_EXPORT void hj_finish_left_(struct hj_scope_ *scope)
{
	struct hj_thrown_ *thrown;
	struct hd_task *me;

	if (!scope->open)
		return;
	me = hd_task_here(HD_CALLER);
	if (!me)
		return;
	if (!hd_is_unwinding())
		hd_carrier_misuse(0, "HJ_FINISH is left by return, break or goto");
	if (!owns_top(me, "the end of HJ_FINISH"))
		return;
	/* One exception is on its way: those of the tasks are for the finish around. */
	thrown = hd_finish_end(me);
	hd_throw_later(me->top, thrown);
}

/* ---- without waiting ----------------------------------------------------------- */

/*
 * The task that waits instead, in the outer finish. It makes the JOINs, so that
 * whoever gets the future is after all tasks of the finish.
 */
static void *wait_instead(void *arg)
{
	struct hd_finish *fin = arg;

	hd_finish_wait(fin);
	hd_throw_later(fin->outer, fin->thrown);
	hd_finish_discard(fin);
	return NULL;
}

HD_EXPORT hj_future_t *hj_finish_end_future(void)
{
	struct hd_task *me = hd_task_enter(HD_CALLER, "hj_finish_end_future"), *t;
	struct hd_finish *fin;
	struct hj_future *f;

	if (!me || !owns_top(me, "hj_finish_end_future")) {
		f = hd_future_new(NULL);
		hd_future_put(f, NULL);
		return f;
	}
	fin = me->top;
	if (me->phasers)
		hd_phasers_leave(me, fin);
	hd_carrier_event(HD_OP_FINISH_END, 0, fin->number, 1);
	me->top = fin->outer;
	me->went_on = true;
	fin->owner = NULL;
	t = hd_task_to_make(me, wait_instead, fin, &f);
	hd_task_go(t);
	return f;
}
