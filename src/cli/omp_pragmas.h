/*
 * OpenMP pragmas of a preprocessed source, so that the runtime hears of every iteration of a loop.
 *
 * gcc computes the bounds of a loop with a static schedule inline, and nobody is told. With an
 * `ordered` clause it asks the runtime for every part of the loop. So a worksharing loop without
 * one gets it, with a chunk size that is HD_OMP_NOT_ORDERED larger, by which the runtime knows
 * that there is no ordered region; what `static` promises is kept. `distribute parallel for`, where
 * that clause is not allowed, gets a dynamic schedule. `simd` goes from combined constructs.
 */
#ifndef HD_CLI_OMP_PRAGMAS_H
#define HD_CLI_OMP_PRAGMAS_H

#include <stdbool.h>
#include <stddef.h>

struct hd_omp_rewritten {
	char *text; /* NULL: there is nothing to change, or no memory */
	size_t len;
	size_t changed; /* pragmas */
	size_t simd;	/* simd loops, of which nobody hears */
	bool any;	/* there are OpenMP pragmas */
};

/* Rewrite @text; the caller frees what it gets. Lines stay where they are. */
struct hd_omp_rewritten hd_omp_rewrite(const char *text, size_t len);

#endif
