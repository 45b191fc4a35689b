/*
 * Units of worksharing as steps of the trace: see omp_unit.c. Ordered regions, doacross: omp_ordered.c.
 */
#ifndef HD_OPENMP_OMP_ITERATION_H
#define HD_OPENMP_OMP_ITERATION_H

#include "omp_rt.h"

/* Does anybody want to tell units apart? */
bool hd_omp_units_wanted(const struct omp_task *me);
/* @which: its number, from 0. @anybodys: another thread of the team could have got it. */
void hd_omp_unit_begin(struct omp_task *me, uint64_t which, bool anybodys);
/* The trace learns that @me is in part @which of a construct whose pragma is at @place. */
void hd_omp_tell_part(struct omp_task *me, unsigned construct, uintptr_t place, uint64_t which);
void hd_omp_unit_end(struct omp_task *me);
/* The construct is over for this thread. */
void hd_omp_loop_left(struct omp_task *me);

/* No more units of this construct. */
void hd_omp_units_over(struct omp_task *me);
/* The program has learnt on which thread it runs: what it does may depend on that. */
void hd_omp_thread_matters(struct omp_task *me);

/* The thread holds a value that another one might have got. */
void hd_omp_thread_chosen(struct omp_task *me);
/* In a region of one thread: from here on @me and other tasks exclude each other. */
void hd_omp_thread_shared(struct omp_task *me);
/* All of that is over. */
void hd_omp_thread_left(struct omp_task *me);
/* A task that knows its thread's number gives the thread away, and has it again. */
void hd_omp_thread_release(struct omp_task *me);
void hd_omp_thread_acquire(struct omp_task *me);
/* Tell whose memory is whose: at the beginning and the end of a thread's part in a region. */
void hd_omp_own_begin(struct omp_thread *th, uintptr_t low, uintptr_t high);
void hd_omp_own_end(struct omp_thread *th, uintptr_t low, uintptr_t high);
/* The fiber of an explicit task gets the thread's own variables and its name. */
void hd_omp_lend(struct omp_thread *th, struct fiber *f);

/* The thread is done with its part of an ordered loop: the turn passes on. */
void hd_omp_ordered_pass(struct omp_task *me);
void hd_omp_posts_make(struct omp_work *w);

/* omp_lanes.c: a phase of a loop with `inscan` is over for this thread; it has come to know its thread in it. */
void hd_omp_scan_phase_over(struct omp_task *me);
void hd_omp_scan_by_thread(struct omp_task *me);

#endif
