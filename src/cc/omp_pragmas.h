/*
 * OpenMP pragmas of a preprocessed source, so that the runtime hears of every iteration of a loop.
 *
 * gcc computes the bounds of a loop with a static schedule inline, and nobody is told. With an
 * `ordered` clause it asks the runtime for every part of the loop. So a worksharing loop without
 * one gets it, with a chunk size that is HD_OMP_NOT_ORDERED larger, by which the runtime knows
 * that there is no ordered region; what `static` promises is kept. `distribute parallel for`, where
 * that clause is not allowed, gets a dynamic schedule. `simd` goes from combined constructs; around a loop
 * with `simd` alone, and at the beginning of its body, the runtime is told of lanes.
 *
 * A loop in which a variable of the thread's own brings a value from one iteration to the next and says
 * which memory is used gets a chunk size that is larger by HD_OMP_WHOLE: its iterations are
 * not to be told apart. Variables that tasks share get their address taken, so that tasks read them, and
 * not who makes the tasks.
 */
#ifndef HD_CC_OMP_PRAGMAS_H
#define HD_CC_OMP_PRAGMAS_H

#include <stdbool.h>
#include <stddef.h>

struct hd_omp_rewritten {
	char *text; /* NULL: there is nothing to change, or no memory */
	size_t len;
	size_t changed; /* pragmas */
	size_t simd;	/* simd loops, of whose lanes nobody hears */
	bool lanes;	/* there are others: the functions of omp_lanes.c are called */
	bool unheeded;	/* calls with HD_OMP_UNHEEDED in their names */
	bool any;	/* there are OpenMP pragmas */
};

/*
 * Rewrite @text; the caller frees what it gets. Lines stay where they are. @guess: also by what local variables
 * seem to be in scope (omp_names.h), which the compiler may refuse.
 */
struct hd_omp_rewritten hd_omp_rewrite(const char *text, size_t len, bool guess);

#endif
