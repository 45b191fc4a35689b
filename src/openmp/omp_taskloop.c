/*
 * taskloop: iterations in tasks. The first two words of a task's arguments are its bounds; behind
 * them is the list of reductions, if there is one.
 */
#include "omp_rt.h"

struct bounds {
	uint64_t from, to;
};

static void put_bounds(void *args, void *arg)
{
	hd_rt_copy(args, arg, sizeof(struct bounds));
}

/* How many tasks for @n iterations. */
static uint64_t how_many(const struct omp_task *me, unsigned flags, uint64_t asked, uint64_t n)
{
	uint64_t tasks;

	if (!n)
		return 0;
	if (flags & OMP_TASK_GRAINSIZE) {
		if (!asked)
			asked = 1;
		tasks = flags & OMP_TASK_STRICT ? (n - 1) / asked + 1 : n / asked;
	} else {
		tasks = asked ? asked : me->team->n;
	}
	return tasks < 1 ? 1 : tasks > n ? n : tasks;
}

static void make(struct omp_task *me, struct omp_new_task *what, uint64_t ntasks, uint64_t n,
		 uint64_t start, uint64_t step)
{
	uint64_t q = n / ntasks, r = n % ntasks, at = 0;
	bool strict = (what->flags & (OMP_TASK_GRAINSIZE | OMP_TASK_STRICT)) ==
		      (OMP_TASK_GRAINSIZE | OMP_TASK_STRICT);

	for (uint64_t i = 0; i < ntasks; i++) {
		uint64_t len = q + (i < r);
		struct bounds b;

		if (strict) { /* all alike but the last */
			len = (n - 1) / ntasks + 1;
			if (len > n - at)
				len = n - at;
		}
		b.from = start + at * step;
		b.to = start + (at + len) * step;
		at += len;
		hd_omp_task(me, what, put_bounds, &b);
	}
}

static void taskloop(uintptr_t caller, struct omp_new_task *what, uint64_t asked, uint64_t start,
		     uint64_t n, uint64_t step)
{
	struct omp_task *me = hd_omp_enter(caller);
	uintptr_t *reductions = NULL;
	bool group = !(what->flags & OMP_TASK_NOGROUP);

	if (what->flags & OMP_TASK_REDUCTION)
		reductions = ((uintptr_t **)what->data)[2];
	if (!me) {
		struct bounds b = { start, start + n * step };

		if (reductions)
			hd_omp_reductions_register(reductions, NULL, 1);
		if (n) {
			put_bounds(what->data, &b);
			what->fn(what->data);
		}
		return;
	}
	hd_rt_point();
	if (group)
		hd_omp_group_begin(me);
	if (group && reductions)
		hd_omp_group_reductions(me, reductions);
	if (n)
		make(me, what, how_many(me, what->flags, asked, n), n, start, step);
	if (group)
		hd_omp_group_end(me);
}

void GOMP_taskloop(void (*fn)(void *), void *data, void (*copy)(void *, void *), long size,
		   long align, unsigned flags, unsigned long ntasks, int priority, long start,
		   long end, long step);
void GOMP_taskloop_ull(void (*fn)(void *), void *data, void (*copy)(void *, void *), long size,
		       long align, unsigned flags, unsigned long ntasks, int priority,
		       uint64_t start, uint64_t end, uint64_t step);

static struct omp_new_task describe(void (*fn)(void *), void *data, void (*copy)(void *, void *),
				    long size, long align, unsigned flags, int priority)
{
	return (struct omp_new_task){
		.fn = fn,
		.data = data,
		.copy = copy,
		.size = size,
		.align = align,
		.if_clause = flags & OMP_TASK_IF,
		.priority = priority,
		.construct = HD_IN_TASKLOOP,
		.flags = flags & ~(unsigned)(OMP_TASK_DEPEND | OMP_TASK_DETACH),
	};
}

HD_EXPORT void GOMP_taskloop(void (*fn)(void *), void *data, void (*copy)(void *, void *),
			     long size, long align, unsigned flags, unsigned long ntasks,
			     int priority, long start, long end, long step)
{
	struct omp_new_task what = describe(fn, data, copy, size, align, flags, priority);
	uint64_t n = 0;

	if (step > 0 && start < end)
		n = ((uint64_t)end - (uint64_t)start - 1) / (uint64_t)step + 1;
	else if (step < 0 && start > end)
		n = ((uint64_t)start - (uint64_t)end - 1) / -(uint64_t)step + 1;
	taskloop(HD_CALLER, &what, ntasks, (uint64_t)start, n, (uint64_t)step);
}

HD_EXPORT void GOMP_taskloop_ull(void (*fn)(void *), void *data, void (*copy)(void *, void *),
				 long size, long align, unsigned flags, unsigned long ntasks,
				 int priority, uint64_t start, uint64_t end, uint64_t step)
{
	struct omp_new_task what = describe(fn, data, copy, size, align, flags, priority);
	uint64_t n = 0;

	if ((flags & OMP_TASK_UP) && start < end)
		n = (end - start - 1) / step + 1;
	else if (!(flags & OMP_TASK_UP) && start > end)
		n = (start - end - 1) / -step + 1;
	taskloop(HD_CALLER, &what, ntasks, start, n, step);
}
