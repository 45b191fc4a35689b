/*
 * HClib's workers, on fibers.
 */
#include <stdlib.h>

#include "hclib.h"
#include "runtime/explore/explore.h"
#include "runtime/rt.h"
#include "task.h"

/*
 * A worker runs one task at a time, so programs keep things by worker number without any lock. A
 * task that asks gets a number that no other running task has, until it ends, and what an earlier
 * task did under the number is before it. With more such tasks than workers that does not
 * work out: then numbers are shared, which is counted, and data kept by them is reported as racy.
 */
#define WORKERS 8

static bool *busy; /* by number; each one's address stands for the worker in the trace */

/* Which numbers are free depends on who asked before, and who has ended. */
static void take_turn(void)
{
	hd_rt_explore_uses(HD_X_USES_PEEKS);
	hd_rt_explore_turn((uintptr_t)&busy, false);
}

HD_EXPORT int hclib_get_num_workers(void)
{
	static int n;

	if (!n) {
		const char *s = getenv("HCLIB_WORKERS");

		n = s ? atoi(s) : 0;
		if (n < 1 || n > 65536)
			n = WORKERS;
	}
	return n;
}

HD_EXPORT int hclib_get_current_worker(void)
{
	struct fiber *f = hd_rt_enter(HD_CALLER);
	struct hd_task *me = f ? f->task : NULL;
	int n = hclib_get_num_workers(), w = 0;

	if (!me)
		return 0;
	if (me->worker)
		return (me->worker > 0 ? me->worker : -me->worker) - 1;
	take_turn();
	if (!busy)
		busy = hd_rt_alloc((size_t)n);
	while (w < n && busy[w])
		w++;
	if (w == n) {
		w = (int)(f->id % (unsigned)n);
		hd_rt_drop("hclib_get_current_worker: more tasks asked than there are workers");
		me->worker = -(w + 1);
		return w;
	}
	busy[w] = true;
	me->worker = w + 1;
	hd_rt_explore_change((uintptr_t)&busy[w], 0, f->id);
	hd_rt_event(HD_OP_HB_ACQUIRE, (uintptr_t)&busy[w], 0, 0);
	return w;
}

void hd_worker_release(struct hd_task *me)
{
	if (me->worker > 0) {
		take_turn();
		hd_rt_explore_change((uintptr_t)&busy[me->worker - 1], hd_rt.cur->id, 0);
		hd_rt_event(HD_OP_HB_RELEASE, (uintptr_t)&busy[me->worker - 1], 0, 0);
		busy[me->worker - 1] = false;
	}
}

HD_EXPORT size_t hclib_current_worker_backlog(void)
{
	if (!hd_rt_enter(HD_CALLER))
		return 0;
	hd_rt_explore_peek((uintptr_t)&hd_rt.nbare);
	return hd_rt.nbare;
}
