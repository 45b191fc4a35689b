/*
 * Cancellation: only where OMP_CANCELLATION is true, as the specification has it.
 */
#include "omp_rt.h"

#include "runtime/explore/explore.h"

enum { CANCEL_PARALLEL = 1, CANCEL_LOOP = 2, CANCEL_SECTIONS = 4, CANCEL_TASKGROUP = 8 };

void hd_omp_look_cancelled(const struct omp_task *me)
{
	if (hd_rt.exploring && hd_omp_cancellation())
		hd_rt_explore_peek((uintptr_t)&me->team->cancelled);
}

static bool is_cancelled(const struct omp_task *me, int which)
{
	if (!hd_omp_cancellation())
		return false;
	hd_omp_look_cancelled(me);
	if (which & CANCEL_TASKGROUP)
		return (me->group && me->group->cancelled) || hd_omp_is_cancelled(me);
	if (which & (CANCEL_LOOP | CANCEL_SECTIONS))
		return me->team->work_cancelled || me->team->cancelled;
	return me->team->cancelled;
}

bool GOMP_cancellation_point(int which);
bool GOMP_cancel(int which, bool do_it);

HD_EXPORT bool GOMP_cancellation_point(int which)
{
	struct omp_task *me = hd_omp_enter(HD_CALLER);

	if (!me)
		return false;
	hd_rt_point();
	return is_cancelled(me, which);
}

HD_EXPORT bool GOMP_cancel(int which, bool do_it)
{
	struct omp_task *me = hd_omp_enter(HD_CALLER);

	if (!me || !hd_omp_cancellation())
		return false;
	hd_rt_point();
	if (!do_it)
		return is_cancelled(me, which);
	hd_rt_progress();
	hd_rt_explore_change((uintptr_t)&me->team->cancelled, 0, (unsigned)which);
	if (which & CANCEL_TASKGROUP) {
		if (me->group)
			me->group->cancelled = true;
	} else if (which & (CANCEL_LOOP | CANCEL_SECTIONS)) {
		me->team->work_cancelled = true;
	} else {
		me->team->cancelled = true;
		hd_omp_barrier_cancel_all(me->team);
	}
	return true;
}
