/*
 * Async, and what every construct asks first.
 */
#include "task.h"

struct hd_task *hd_task_enter(uintptr_t caller, const char *call)
{
	hd_strand *s = hd_carrier_enter(caller);
	struct hd_task *me;

	if (!s) {
		hd_carrier_refuse(caller, call);
		return NULL;
	}
	me = hd_strand_task(s);
	if (unlikely(!me))
		hd_carrier_misuse(0, "%s outside of hj_launch", call);
	return me;
}

void hd_task_may_block(struct hd_task *me, const char *call)
{
	if (unlikely(me->isolation != NULL))
		hd_carrier_misuse(0, "%s inside an isolated block, which must not wait", call);
	if (unlikely(me->in_single))
		hd_carrier_misuse(0, "%s inside a single statement, for which all others wait",
				  call);
}

HD_EXPORT void hj_async(hj_fn *fn, void *arg)
{
	struct hd_task *me = hd_task_enter(HD_CALLER, "hj_async");
	struct hd_task *t = hd_task_to_call(me, fn, arg);

	if (t)
		hd_task_go(t);
}

HD_EXPORT void hj_async_copy(hj_fn *fn, const void *arg, size_t size)
{
	struct hd_task *me = hd_task_enter(HD_CALLER, "hj_async_copy"), *t;

	if (!me) {
		fn((void *)arg);
		return;
	}
	hd_carrier_range(arg, size, false);
	t = hd_task_new(me);
	t->fn = fn;
	t->arg = hd_task_object(size ? size : 1);
	t->copied = size ? size : 1;
	hd_rt_copy(t->arg, arg, size);
	hd_task_go(t);
}

HD_EXPORT unsigned hj_task_number(void)
{
	const struct hd_task *me = hd_task_here(HD_CALLER);

	return me ? hd_strand_id(me->strand) : 0;
}
