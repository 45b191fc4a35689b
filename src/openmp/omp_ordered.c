/*
 * Order between iterations: ordered regions, and doacross loops (depend(source) and depend(sink)).
 */
#include "omp_iteration.h"

#include <stdarg.h>

/* ---- ordered -------------------------------------------------------------------------------- */

static void wait_turn(struct omp_thread *th, struct omp_work *w)
{
	while (th->iterations && w->turn != th->iteration)
		hd_rt_block(HD_TS_TURN, (uintptr_t)w, HD_NEVER);
}

void hd_omp_ordered_pass(struct omp_task *me)
{
	struct omp_thread *th = me->thread;
	struct omp_work *w = th->work;

	if (!th->iterations)
		return;
	wait_turn(th, w);
	w->turn += th->iterations;
	th->iterations = 0;
	hd_rt.soft_progress++;
	hd_rt_wake_all(HD_TS_TURN, (uintptr_t)w);
}

void GOMP_ordered_start(void);
void GOMP_ordered_end(void);

HD_EXPORT void GOMP_ordered_start(void)
{
	struct omp_task *me = hd_omp_enter(HD_CALLER);
	struct omp_work *w = me ? me->thread->work : NULL;

	if (!w || !w->ordered)
		return;
	hd_rt_point_before(HD_TS_TURN, (uintptr_t)w);
	wait_turn(me->thread, w);
	hd_rt_event(HD_OP_FUTURE_GET, (uintptr_t)w->turn_object, 0, 0);
}

HD_EXPORT void GOMP_ordered_end(void)
{
	struct omp_task *me = hd_omp_enter(HD_CALLER);
	struct omp_work *w = me ? me->thread->work : NULL;

	if (!w || !w->ordered)
		return;
	hd_rt_point();
	hd_rt_event(HD_OP_FUTURE_PUT, (uintptr_t)w->turn_object, 0, 0);
}

/* ---- doacross --------------------------------------------------------------------------------- */

/* One byte for each iteration: 1 when it has been posted. Its address is the object in the trace. */
struct omp_posts {
	uint64_t n;
	char posted[];
};

void hd_omp_posts_make(struct omp_work *w)
{
	uint64_t n = 1;

	for (unsigned i = 0; i < w->ndims; i++)
		n *= w->counts[i];
	w->posts = hd_omp_object(sizeof(*w->posts) + n);
	w->posts->n = n;
}

void hd_omp_posts_free(struct omp_work *w)
{
	if (w->posts)
		hd_rt_free(w->posts, sizeof(*w->posts) + w->posts->n);
	w->posts = NULL;
}

static void post(struct omp_work *w, const uint64_t *at)
{
	uint64_t k = 0;

	for (unsigned i = 0; i < w->ndims; i++)
		k = k * w->counts[i] + at[i];
	if (k >= w->posts->n)
		return;
	hd_rt_point();
	w->posts->posted[k] = 1;
	hd_rt_event(HD_OP_FUTURE_PUT, (uintptr_t)&w->posts->posted[k], 0, 0);
	hd_rt_progress();
	hd_rt_wake_all(HD_TS_TURN, (uintptr_t)&w->posts->posted[k]);
}

static void wait_for(struct omp_work *w, uint64_t k)
{
	char *p;

	if (k >= w->posts->n)
		return;
	p = &w->posts->posted[k];
	hd_rt_point_before(HD_TS_TURN, (uintptr_t)p);
	while (!*p)
		hd_rt_block(HD_TS_TURN, (uintptr_t)p, HD_NEVER);
	hd_rt_event(HD_OP_FUTURE_GET, (uintptr_t)p, 0, 0);
}

static struct omp_work *doacross(uintptr_t caller)
{
	struct omp_task *me = hd_omp_enter(caller);
	struct omp_work *w = me ? me->thread->work : NULL;

	return w && w->posts ? w : NULL;
}

void GOMP_doacross_post(long *at);
void GOMP_doacross_ull_post(uint64_t *at);
void GOMP_doacross_wait(long first, ...);
void GOMP_doacross_ull_wait(uint64_t first, ...);

HD_EXPORT void GOMP_doacross_post(long *at)
{
	struct omp_work *w = doacross(HD_CALLER);

	if (w)
		post(w, (uint64_t *)at);
}

HD_EXPORT void GOMP_doacross_ull_post(uint64_t *at)
{
	struct omp_work *w = doacross(HD_CALLER);

	if (w)
		post(w, at);
}

#define WAIT(type)                                                                                 \
	struct omp_work *w = doacross(HD_CALLER);                                                  \
	uint64_t k = (uint64_t)first;                                                              \
	va_list args;                                                                              \
                                                                                                   \
	if (!w)                                                                                    \
		return;                                                                            \
	va_start(args, first);                                                                     \
	for (unsigned i = 1; i < w->ndims; i++)                                                    \
		k = k * w->counts[i] + (uint64_t)va_arg(args, type);                               \
	va_end(args);                                                                              \
	wait_for(w, k)

HD_EXPORT void GOMP_doacross_wait(long first, ...)
{
	WAIT(long);
}

HD_EXPORT void GOMP_doacross_ull_wait(uint64_t first, ...)
{
	WAIT(uint64_t);
}
