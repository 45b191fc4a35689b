/*
 * Task reductions: private copies of variables, one for each thread of the team, that tasks find by
 * the original's address. The compiler makes the list, and combines the copies at the end.
 *
 * The list (an array of words): 0 the number of variables, 1 the bytes of all copies of one thread, 2
 * their alignment and then where they are, 4 the next list around it, 6 the end of the copies;
 * then three words for each variable: its address, the offset of its copy, one for us.
 *
 * Tasks that run on the same thread share its copies one after the other, although they could run
 * at the same time elsewhere: the copies lie where accesses are not looked at (hd_rt_hidden).
 */
#include "omp_rt.h"

#include "runtime/abi/hidden.h"

enum { COUNT, SIZE, WHERE, OUTER = 4, SPARE, END, FIRST };

void hd_omp_reductions_register(uintptr_t *data, uintptr_t *older, unsigned nthreads)
{
	for (uintptr_t *d = data;; d = (uintptr_t *)d[OUTER]) {
		size_t bytes = (size_t)d[SIZE] * nthreads;

		d[WHERE] = (uintptr_t)hd_rt_hidden_alloc(bytes);
		d[END] = d[WHERE] + bytes;
		d[SPARE] = bytes;
		if (!d[OUTER]) {
			d[OUTER] = (uintptr_t)older;
			return;
		}
	}
}

void hd_omp_reductions_unregister(uintptr_t *data)
{
	hd_rt_hidden_free((void *)data[WHERE], (size_t)data[SPARE]);
	data[WHERE] = 0;
}

static uintptr_t *innermost(struct omp_task *me)
{
	for (struct omp_group *g = me->group; g; g = g->outer) {
		if (g->reductions)
			return g->reductions;
	}
	return me->team->reductions;
}

void GOMP_taskgroup_reduction_register(uintptr_t *data);
void GOMP_taskgroup_reduction_unregister(uintptr_t *data);
void GOMP_task_reduction_remap(size_t n, size_t norig, void **at);
void GOMP_workshare_task_reduction_unregister(bool cancelled);

HD_EXPORT void GOMP_taskgroup_reduction_register(uintptr_t *data)
{
	struct omp_task *me = hd_omp_enter(HD_CALLER);
	uintptr_t *older = me ? innermost(me) : NULL;

	hd_omp_reductions_register(data, older, me ? me->team->n : 1);
	if (me && me->group)
		me->group->reductions = data;
}

HD_EXPORT void GOMP_taskgroup_reduction_unregister(uintptr_t *data)
{
	hd_omp_enter(HD_CALLER);
	for (uintptr_t *d = data; d && d[WHERE]; d = NULL)
		hd_omp_reductions_unregister(d);
}

/* The copy, for thread @num, of the variable at @addr, which may itself be a copy; NULL: not in @d. */
static char *copy_of(uintptr_t *d, uintptr_t addr, unsigned num, uintptr_t *original)
{
	for (uintptr_t i = 0; i < d[COUNT]; i++) {
		const uintptr_t *var = &d[FIRST + 3 * i];
		uintptr_t offset = (addr - d[WHERE]) % d[SIZE];
		bool is_copy = addr >= d[WHERE] && addr < d[END] && offset == var[1];

		if (var[0] != addr && !is_copy)
			continue;
		*original = var[0];
		return (char *)d[WHERE] + num * d[SIZE] + var[1];
	}
	return NULL;
}

HD_EXPORT void GOMP_task_reduction_remap(size_t n, size_t norig, void **at)
{
	struct omp_task *me = hd_omp_enter(HD_CALLER);
	unsigned num = me ? me->thread->num : 0;

	for (size_t i = 0; i < n; i++) {
		uintptr_t addr = (uintptr_t)at[i], original = addr;
		char *copy = NULL;

		for (uintptr_t *d = me ? innermost(me) : NULL; d && !copy;
		     d = (uintptr_t *)d[OUTER])
			copy = copy_of(d, addr, num, &original);
		if (copy)
			at[i] = copy;
		if (i < norig)
			at[n + i] = (void *)original;
	}
}

void hd_omp_reductions_share(struct omp_task *me, struct omp_work *w, uintptr_t *data, bool first)
{
	hd_omp_group_begin(me);
	if (first) {
		hd_omp_reductions_register(data, innermost(me), me->team->n);
		w->reductions = data;
	} else {
		uintptr_t *from = w->reductions;

		for (uintptr_t *d = data; d && from; d = (uintptr_t *)d[OUTER]) {
			d[WHERE] = from[WHERE];
			d[END] = from[END];
			d[SPARE] = from[SPARE];
			from = (uintptr_t *)from[OUTER];
			if (!d[OUTER]) {
				d[OUTER] = (uintptr_t)innermost(me);
				break;
			}
		}
	}
	me->group->reductions = data;
}

HD_EXPORT void GOMP_workshare_task_reduction_unregister(bool cancelled)
{
	struct omp_task *me = hd_omp_enter(HD_CALLER);
	uintptr_t *data;

	if (!me || !me->group)
		return;
	data = me->group->reductions;
	hd_omp_group_end(me);
	if (!cancelled)
		hd_omp_barrier(me, false);
	if (!me->thread->num && data)
		hd_omp_reductions_unregister(data);
}

void hd_omp_group_reductions(struct omp_task *me, uintptr_t *data)
{
	hd_omp_reductions_register(data, innermost(me), me->team->n);
	me->group->reductions = data;
}
