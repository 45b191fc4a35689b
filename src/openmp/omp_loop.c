/*
 * Worksharing loops: which iterations a thread gets.
 *
 * A loop is its number of iterations and a rule by which they are given out. What the static
 * schedule promises (block q of n for thread q; chunks in turn) is kept. Inside of what a thread has
 * got, iterations are handed out in *units* that the analysis takes for parallel: single
 * iterations where the program names no chunk size, else chunks, since within a chunk the order is
 * the program's business. Units are an extra call each, not a scheduling point, so
 * whether anybody watches does not change the schedule.
 */
#include "omp_rt.h"

#include "omp_iteration.h"

/*
 * heddle cc makes a loop with an inline static schedule call us by an `ordered` clause that
 * the program does not have, or where that is not allowed by a dynamic schedule; its chunk size is
 * then this much larger.
 */
#define NOT_ORDERED (INT64_C(1) << 62)
/* And by this, where iterations are not to be told apart: see cli/omp_pragmas.h. */
#define WHOLE (INT64_C(1) << 61)
/* By this, where iterations may run at the same time on one thread, too: those of `loop`. */
#define CONCURRENT (INT64_C(1) << 58)

/* ---- the loop --------------------------------------------------------------------------------- */

static uint64_t count_of(const struct omp_loop *l)
{
	uint64_t start = l->start, end = l->end, incr = l->incr;
	bool up = l->is_ull ? l->up : (int64_t)incr > 0;
	bool none =
		l->is_ull ? (up ? start >= end : start <= end)
			  : (up ? (int64_t)start >= (int64_t)end : (int64_t)start <= (int64_t)end);

	if (none || !incr)
		return 0;
	return up ? (end - start - 1) / incr + 1 : (start - end - 1) / -incr + 1;
}

static void fill(struct omp_work *w, const struct omp_loop *l, const struct omp_icv *icv)
{
	int64_t chunk = l->chunk;
	unsigned sched = l->sched & ~OMP_MONOTONIC;

	w->start = l->start;
	w->incr = l->incr;
	w->n = count_of(l);
	w->ordered = l->ordered;
	if (chunk >= NOT_ORDERED - WHOLE / 2) {
		chunk -= NOT_ORDERED;
		w->ordered = false;
		sched = OMP_STATIC;
	}
	if (chunk >= WHOLE / 2) {
		chunk -= WHOLE;
		w->whole = true;
	}
	if (chunk >= CONCURRENT / 2) {
		chunk -= CONCURRENT;
		w->concurrent = true;
	}
	if (sched == OMP_RUNTIME) {
		sched = icv->sched & ~OMP_MONOTONIC;
		chunk = icv->chunk;
	}
	if (sched == OMP_AUTO)
		sched = OMP_STATIC;
	w->sched = sched;
	w->chunk = chunk > 0 ? (uint64_t)chunk : 0;
	if (w->ordered)
		w->turn_object = hd_omp_object(64);
	if (l->ndims) {
		w->ndims = l->ndims;
		w->counts = hd_rt_alloc(l->ndims * sizeof(*w->counts));
		hd_rt_copy(w->counts, l->counts, l->ndims * sizeof(*w->counts));
		hd_omp_posts_make(w);
	}
	w->construct =
		(w->place ? HD_IN_FOR : HD_IN_PARALLEL_FOR) | (w->chunk > 1 ? HD_IN_CHUNKS : 0);
	w->ready = true;
}

struct omp_work *hd_omp_loop_work(struct omp_task *me, const struct omp_loop *l)
{
	struct omp_work *w = hd_rt_alloc(sizeof(*w));

	fill(w, l, &me->icv);
	return w;
}

/* ---- giving out --------------------------------------------------------------------------------- */

static bool static_chunk(struct omp_thread *th, const struct omp_work *w)
{
	uint64_t n = th->team->n, q = w->n / n, r = w->n % n, k = th->num;

	if (w->chunk) {
		uint64_t first = (th->round * n + k) * w->chunk;

		th->round++;
		if (first / w->chunk != (th->round - 1) * n + k || first >= w->n)
			return false;
		th->at = first;
		th->end = w->n - first < w->chunk ? w->n : first + w->chunk;
		return true;
	}
	if (th->round++)
		return false;
	th->at = k * q + (k < r ? k : r);
	th->end = th->at + q + (k < r);
	return th->at < th->end;
}

static bool shared_chunk(struct omp_thread *th, struct omp_work *w)
{
	uint64_t chunk = w->chunk ? w->chunk : 1, left;

	hd_omp_claim_point();
	if (w->at >= w->n)
		return hd_omp_claim(th->team, w, w->n, false);
	left = w->n - w->at;
	if (w->sched == OMP_GUIDED && left / th->team->n > chunk)
		chunk = (left + th->team->n - 1) / th->team->n;
	if (chunk > left)
		chunk = left;
	th->at = w->at;
	th->end = w->at += chunk;
	hd_rt.soft_progress++;
	return hd_omp_claim(th->team, w, th->at, true);
}

static uint64_t unit_of(const struct omp_work *w)
{
	return w->chunk ? w->chunk : 1;
}

/* The next part of the loop for @me; false: there is none. */
static bool next_part(struct omp_task *me, uint64_t *from, uint64_t *to)
{
	struct omp_thread *th = me->thread;
	struct omp_work *w = th->work;
	uint64_t n;
	bool units;

	if (!w)
		return false;
	hd_omp_unit_end(me);
	if (w->ordered)
		hd_omp_ordered_pass(me);
	hd_omp_look_cancelled(me);
	if (me->team->work_cancelled || me->team->cancelled)
		return false;
	if (th->at == th->end &&
	    !(w->sched == OMP_STATIC ? static_chunk(th, w) : shared_chunk(th, w)))
		return false;
	n = th->end - th->at;
	units = !w->whole && hd_omp_units_wanted(me);
	/* What waits for other iterations is split in any case: it would be another schedule else. */
	if ((units || w->ordered || w->ndims) && n > unit_of(w))
		n = unit_of(w);
	*from = w->start + th->at * w->incr;
	*to = w->start + (th->at + n) * w->incr;
	th->iteration = th->at;
	th->iterations = n;
	th->at += n;
	if (units)
		hd_omp_unit_begin(me, th->iteration, w->sched != OMP_STATIC);
	else
		hd_omp_tell_part(me, w->construct, w->place,
				 n > unit_of(w) ? HD_OMP_NO_PART : th->iteration);
	return true;
}

static void begin(struct omp_thread *th)
{
	th->at = th->end = th->round = 0;
	th->iterations = 0;
}

static bool loop_start(uintptr_t caller, const struct omp_loop *l, uintptr_t *reductions,
		       void **mem, uint64_t *from, uint64_t *to)
{
	struct omp_task *me = hd_omp_enter(caller);
	struct omp_work *w;
	bool first;

	if (!me) { /* alone: all of it at once */
		if (from) {
			*from = l->start;
			*to = l->start + count_of(l) * l->incr;
		}
		return count_of(l) > 0;
	}
	hd_rt_point();
	w = hd_omp_work_enter(me, &first);
	if (first) {
		w->place = caller;
		fill(w, l, &me->icv);
	}
	hd_omp_tell_part(me, w->construct, w->place, HD_OMP_NO_PART);
	hd_omp_work_memory(me, w, mem, first);
	if (reductions)
		hd_omp_reductions_share(me, w, reductions, first);
	begin(me->thread);
	return !from || next_part(me, from, to);
}

static bool loop_next(uintptr_t caller, uint64_t *from, uint64_t *to)
{
	struct omp_task *me = hd_omp_enter(caller);

	return me && next_part(me, from, to);
}

/* ---- start and next, for each schedule and both types --------------------------------------------- */

#define LONG_LOOP(kind, is_ordered)                                                                \
	(struct omp_loop)                                                                          \
	{                                                                                          \
		.start = (uint64_t)start, .end = (uint64_t)end, .incr = (uint64_t)incr,            \
		.sched = (kind), .ordered = (is_ordered)                                           \
	}
#define ULL_LOOP(kind, is_ordered)                                                                 \
	(struct omp_loop)                                                                          \
	{                                                                                          \
		.is_ull = true, .up = up, .start = start, .end = end, .incr = incr,                \
		.sched = (kind), .ordered = (is_ordered)                                           \
	}

#define START(name, kind, is_ordered)                                                              \
	bool GOMP_loop_##name(long start, long end, long incr, long chunk, long *from, long *to);  \
	HD_EXPORT bool GOMP_loop_##name(long start, long end, long incr, long chunk, long *from,   \
					long *to)                                                  \
	{                                                                                          \
		struct omp_loop l = LONG_LOOP(kind, is_ordered);                                   \
		l.chunk = chunk;                                                                   \
		return loop_start(HD_CALLER, &l, NULL, NULL, (uint64_t *)from, (uint64_t *)to);    \
	}                                                                                          \
	bool GOMP_loop_ull_##name(bool up, uint64_t start, uint64_t end, uint64_t incr,            \
				  uint64_t chunk, uint64_t *from, uint64_t *to);                   \
	HD_EXPORT bool GOMP_loop_ull_##name(bool up, uint64_t start, uint64_t end, uint64_t incr,  \
					    uint64_t chunk, uint64_t *from, uint64_t *to)          \
	{                                                                                          \
		struct omp_loop l = ULL_LOOP(kind, is_ordered);                                    \
		l.chunk = (int64_t)chunk;                                                          \
		return loop_start(HD_CALLER, &l, NULL, NULL, from, to);                            \
	}

#define RUNTIME_START(name, is_ordered)                                                            \
	bool GOMP_loop_##name(long start, long end, long incr, long *from, long *to);              \
	HD_EXPORT bool GOMP_loop_##name(long start, long end, long incr, long *from, long *to)     \
	{                                                                                          \
		struct omp_loop l = LONG_LOOP(OMP_RUNTIME, is_ordered);                            \
		return loop_start(HD_CALLER, &l, NULL, NULL, (uint64_t *)from, (uint64_t *)to);    \
	}                                                                                          \
	bool GOMP_loop_ull_##name(bool up, uint64_t start, uint64_t end, uint64_t incr,            \
				  uint64_t *from, uint64_t *to);                                   \
	HD_EXPORT bool GOMP_loop_ull_##name(bool up, uint64_t start, uint64_t end, uint64_t incr,  \
					    uint64_t *from, uint64_t *to)                          \
	{                                                                                          \
		struct omp_loop l = ULL_LOOP(OMP_RUNTIME, is_ordered);                             \
		return loop_start(HD_CALLER, &l, NULL, NULL, from, to);                            \
	}

#define NEXT(name)                                                                                 \
	bool GOMP_loop_##name(long *from, long *to);                                               \
	HD_EXPORT bool GOMP_loop_##name(long *from, long *to)                                      \
	{                                                                                          \
		return loop_next(HD_CALLER, (uint64_t *)from, (uint64_t *)to);                     \
	}                                                                                          \
	bool GOMP_loop_ull_##name(uint64_t *from, uint64_t *to);                                   \
	HD_EXPORT bool GOMP_loop_ull_##name(uint64_t *from, uint64_t *to)                          \
	{                                                                                          \
		return loop_next(HD_CALLER, from, to);                                             \
	}

START(static_start, OMP_STATIC, false)
START(dynamic_start, OMP_DYNAMIC, false)
START(guided_start, OMP_GUIDED, false)
START(nonmonotonic_dynamic_start, OMP_DYNAMIC, false)
START(nonmonotonic_guided_start, OMP_GUIDED, false)
START(ordered_static_start, OMP_STATIC, true)
START(ordered_dynamic_start, OMP_DYNAMIC, true)
START(ordered_guided_start, OMP_GUIDED, true)
RUNTIME_START(runtime_start, false)
RUNTIME_START(nonmonotonic_runtime_start, false)
RUNTIME_START(maybe_nonmonotonic_runtime_start, false)
RUNTIME_START(ordered_runtime_start, true)
NEXT(static_next)
NEXT(dynamic_next)
NEXT(guided_next)
NEXT(runtime_next)
NEXT(nonmonotonic_dynamic_next)
NEXT(nonmonotonic_guided_next)
NEXT(nonmonotonic_runtime_next)
NEXT(maybe_nonmonotonic_runtime_next)
NEXT(ordered_static_next)
NEXT(ordered_dynamic_next)
NEXT(ordered_guided_next)
NEXT(ordered_runtime_next)

/* With task reductions or memory of the construct's own; @from NULL: the bounds are inline. */
#define GENERAL(name, is_ordered)                                                                  \
	bool GOMP_loop_##name(long start, long end, long incr, long sched, long chunk, long *from, \
			      long *to, uintptr_t *reductions, void **mem);                        \
	HD_EXPORT bool GOMP_loop_##name(long start, long end, long incr, long sched, long chunk,   \
					long *from, long *to, uintptr_t *reductions, void **mem)   \
	{                                                                                          \
		struct omp_loop l = LONG_LOOP((unsigned)sched, is_ordered);                        \
		l.chunk = chunk;                                                                   \
		return loop_start(HD_CALLER, &l, reductions, mem, (uint64_t *)from,                \
				  (uint64_t *)to);                                                 \
	}                                                                                          \
	bool GOMP_loop_ull_##name(bool up, uint64_t start, uint64_t end, uint64_t incr,            \
				  long sched, uint64_t chunk, uint64_t *from, uint64_t *to,        \
				  uintptr_t *reductions, void **mem);                              \
	HD_EXPORT bool GOMP_loop_ull_##name(bool up, uint64_t start, uint64_t end, uint64_t incr,  \
					    long sched, uint64_t chunk, uint64_t *from,            \
					    uint64_t *to, uintptr_t *reductions, void **mem)       \
	{                                                                                          \
		struct omp_loop l = ULL_LOOP((unsigned)sched, is_ordered);                         \
		l.chunk = (int64_t)chunk;                                                          \
		return loop_start(HD_CALLER, &l, reductions, mem, from, to);                       \
	}

GENERAL(start, false)
GENERAL(ordered_start, true)

/* ---- doacross: loops with dependences between iterations -------------------------------------------- */

#define DOACROSS_LOOP(kind)                                                                        \
	(struct omp_loop)                                                                          \
	{                                                                                          \
		.end = counts[0], .incr = 1, .is_ull = true, .up = true,                           \
		.sched = (unsigned)(kind), .ndims = n, .counts = counts                            \
	}

#define DOACROSS(name, ctype, kind)                                                                \
	bool name(unsigned n, ctype *counts_, ctype chunk, ctype *from, ctype *to);                \
	HD_EXPORT bool name(unsigned n, ctype *counts_, ctype chunk, ctype *from, ctype *to)       \
	{                                                                                          \
		const uint64_t *counts = (const uint64_t *)counts_;                                \
		struct omp_loop l = DOACROSS_LOOP(kind);                                           \
		l.chunk = (int64_t)chunk;                                                          \
		return loop_start(HD_CALLER, &l, NULL, NULL, (uint64_t *)from, (uint64_t *)to);    \
	}
#define DOACROSS_RUNTIME(name, ctype)                                                              \
	bool name(unsigned n, ctype *counts_, ctype *from, ctype *to);                             \
	HD_EXPORT bool name(unsigned n, ctype *counts_, ctype *from, ctype *to)                    \
	{                                                                                          \
		const uint64_t *counts = (const uint64_t *)counts_;                                \
		struct omp_loop l = DOACROSS_LOOP(OMP_RUNTIME);                                    \
		return loop_start(HD_CALLER, &l, NULL, NULL, (uint64_t *)from, (uint64_t *)to);    \
	}
#define DOACROSS_GENERAL(name, ctype)                                                              \
	bool name(unsigned n, ctype *counts_, long sched, ctype chunk, ctype *from, ctype *to,     \
		  uintptr_t *reductions, void **mem);                                              \
	HD_EXPORT bool name(unsigned n, ctype *counts_, long sched, ctype chunk, ctype *from,      \
			    ctype *to, uintptr_t *reductions, void **mem)                          \
	{                                                                                          \
		const uint64_t *counts = (const uint64_t *)counts_;                                \
		struct omp_loop l = DOACROSS_LOOP(sched);                                          \
		l.chunk = (int64_t)chunk;                                                          \
		return loop_start(HD_CALLER, &l, reductions, mem, (uint64_t *)from,                \
				  (uint64_t *)to);                                                 \
	}

DOACROSS(GOMP_loop_doacross_static_start, long, OMP_STATIC)
DOACROSS(GOMP_loop_doacross_dynamic_start, long, OMP_DYNAMIC)
DOACROSS(GOMP_loop_doacross_guided_start, long, OMP_GUIDED)
DOACROSS_RUNTIME(GOMP_loop_doacross_runtime_start, long)
DOACROSS_GENERAL(GOMP_loop_doacross_start, long)
DOACROSS(GOMP_loop_ull_doacross_static_start, uint64_t, OMP_STATIC)
DOACROSS(GOMP_loop_ull_doacross_dynamic_start, uint64_t, OMP_DYNAMIC)
DOACROSS(GOMP_loop_ull_doacross_guided_start, uint64_t, OMP_GUIDED)
DOACROSS_RUNTIME(GOMP_loop_ull_doacross_runtime_start, uint64_t)
DOACROSS_GENERAL(GOMP_loop_ull_doacross_start, uint64_t)

/* ---- together with parallel --------------------------------------------------------------------------- */

static void parallel_loop(uintptr_t caller, void (*fn)(void *), void *data, unsigned nthreads,
			  const struct omp_loop *l, bool whole)
{
	struct omp_task *me = hd_omp_enter(caller);
	struct omp_work *w;

	if (!me) {
		if (whole)
			fn(data);
		return;
	}
	w = hd_omp_loop_work(me, l);
	w->place = hd_omp_place_of(fn);
	if (whole)
		hd_omp_parallel(me, fn, data, nthreads, w->construct, w);
	else
		hd_omp_fork(me, fn, data, nthreads, w->construct, NULL, w);
}

#define PARALLEL(name, kind)                                                                       \
	void GOMP_parallel_loop_##name(void (*fn)(void *), void *data, unsigned nthreads,          \
				       long start, long end, long incr, long chunk,                \
				       unsigned flags);                                            \
	HD_EXPORT void GOMP_parallel_loop_##name(void (*fn)(void *), void *data,                   \
						 unsigned nthreads, long start, long end,          \
						 long incr, long chunk, unsigned flags)            \
	{                                                                                          \
		struct omp_loop l = LONG_LOOP(kind, false);                                        \
		l.chunk = chunk;                                                                   \
		parallel_loop(HD_CALLER, fn, data, nthreads, &l, true);                            \
	}
#define PARALLEL_RUNTIME(name)                                                                     \
	void GOMP_parallel_loop_##name(void (*fn)(void *), void *data, unsigned nthreads,          \
				       long start, long end, long incr, unsigned flags);           \
	HD_EXPORT void GOMP_parallel_loop_##name(void (*fn)(void *), void *data,                   \
						 unsigned nthreads, long start, long end,          \
						 long incr, unsigned flags)                        \
	{                                                                                          \
		struct omp_loop l = LONG_LOOP(OMP_RUNTIME, false);                                 \
		parallel_loop(HD_CALLER, fn, data, nthreads, &l, true);                            \
	}
#define PARALLEL_START(name, kind)                                                                 \
	void GOMP_parallel_loop_##name(void (*fn)(void *), void *data, unsigned nthreads,          \
				       long start, long end, long incr, long chunk);               \
	HD_EXPORT void GOMP_parallel_loop_##name(void (*fn)(void *), void *data,                   \
						 unsigned nthreads, long start, long end,          \
						 long incr, long chunk)                            \
	{                                                                                          \
		struct omp_loop l = LONG_LOOP(kind, false);                                        \
		l.chunk = chunk;                                                                   \
		parallel_loop(HD_CALLER, fn, data, nthreads, &l, false);                           \
	}

PARALLEL(static, OMP_STATIC)
PARALLEL(dynamic, OMP_DYNAMIC)
PARALLEL(guided, OMP_GUIDED)
PARALLEL(nonmonotonic_dynamic, OMP_DYNAMIC)
PARALLEL(nonmonotonic_guided, OMP_GUIDED)
PARALLEL_RUNTIME(runtime)
PARALLEL_RUNTIME(nonmonotonic_runtime)
PARALLEL_RUNTIME(maybe_nonmonotonic_runtime)
PARALLEL_START(static_start, OMP_STATIC)
PARALLEL_START(dynamic_start, OMP_DYNAMIC)
PARALLEL_START(guided_start, OMP_GUIDED)

void GOMP_parallel_loop_runtime_start(void (*fn)(void *), void *data, unsigned nthreads, long start,
				      long end, long incr);

HD_EXPORT void GOMP_parallel_loop_runtime_start(void (*fn)(void *), void *data, unsigned nthreads,
						long start, long end, long incr)
{
	struct omp_loop l = LONG_LOOP(OMP_RUNTIME, false);

	parallel_loop(HD_CALLER, fn, data, nthreads, &l, false);
}

/* ---- the end --------------------------------------------------------------------------------------------- */

void GOMP_loop_end(void);
void GOMP_loop_end_nowait(void);
bool GOMP_loop_end_cancel(void);

static struct omp_task *loop_end(uintptr_t caller)
{
	struct omp_task *me = hd_omp_enter(caller);

	if (!me || !me->thread->work)
		return me;
	hd_omp_unit_end(me);
	hd_omp_loop_left(me);
	hd_omp_work_leave(me);
	return me;
}

HD_EXPORT void GOMP_loop_end_nowait(void)
{
	loop_end(HD_CALLER);
}

HD_EXPORT void GOMP_loop_end(void)
{
	struct omp_task *me = loop_end(HD_CALLER);

	if (me)
		hd_omp_barrier(me, false);
}

HD_EXPORT bool GOMP_loop_end_cancel(void)
{
	struct omp_task *me = loop_end(HD_CALLER);

	return me && GOMP_barrier_cancel();
}
