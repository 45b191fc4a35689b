/*
 * HClib's workers: those that there are. What tasks kept by a worker's number is after what
 * earlier ones did that had asked for it and have ended.
 */
#include "hclib.h"
#include "worker.h"

static char asked[1024]; /* each one's address stands for a worker */

HD_EXPORT int hclib_get_num_workers(void)
{
	return hd_par_nworkers ? (int)hd_par_nworkers : 1;
}

HD_EXPORT int hclib_get_current_worker(void)
{
	struct hd_par_strand *f = hd_par_enter(HD_CALLER);
	int w;

	if (!f)
		return 0;
	w = (int)f->worker->number;
	if (!f->task->worker) {
		f->task->worker = w + 1;
		hd_carrier_event(HD_OP_HB_ACQUIRE, (uintptr_t)&asked[w], 0, 0);
	}
	return w;
}

void hd_worker_release(struct hd_task *me)
{
	if (me->worker > 0)
		hd_carrier_event(HD_OP_HB_RELEASE, (uintptr_t)&asked[me->worker - 1], 0, 0);
}

HD_EXPORT size_t hclib_current_worker_backlog(void)
{
	struct hd_par_strand *f = hd_par_enter(HD_CALLER);
	const struct hd_deque *d = f ? &f->worker->deque : NULL;

	return d && d->bottom > d->top ? (size_t)(d->bottom - d->top) : 0;
}
