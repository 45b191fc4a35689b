/*
 * Units of a worksharing loop as steps of their own in the trace.
 */
#include "omp_iteration.h"

bool hd_omp_units_wanted(const struct omp_task *me)
{
	return false;
}

void hd_omp_unit_begin(struct omp_task *me)
{
}

void hd_omp_unit_end(struct omp_task *me)
{
}

void hd_omp_loop_left(struct omp_task *me)
{
	struct omp_thread *th = me->thread;

	if (th->work->ordered && th->iterations)
		hd_omp_ordered_pass(me);
}

void hd_omp_thread_matters(struct omp_task *me)
{
}

void hd_omp_units_over(struct omp_task *me)
{
}

void hd_omp_note_simd(unsigned n);

/* A constructor that heddle cc put into a source with so many simd loops. */
HD_EXPORT void hd_omp_note_simd(unsigned n)
{
	while (n--)
		hd_rt_drop("OpenMP simd loops ran lane after lane: races between lanes are not looked for");
}
