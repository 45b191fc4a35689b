/*
 * Random runs in which every thread that is forked makes a step. When a thread without any
 * can be joined is told by its fork alone, which exhaustive search does not look at; tests
 * of their own say what happens there.
 */
#ifndef HD_TEST_EMPTY_THREADS_H
#define HD_TEST_EMPTY_THREADS_H

#include <stdlib.h>

#include "predict/instance.h"

static inline bool makes_a_step(const struct hd_instance *in, uint32_t thread)
{
	for (size_t i = 0; i < in->nsteps; i++)
		if (in->steps[i].thread == thread)
			return true;
	return false;
}

/* Behind the fork of a thread without steps, let it begin a block. False: out of memory. */
static inline bool fill_empty_threads(struct hd_instance *in)
{
	struct hd_step *steps = calloc(2 * in->nsteps + 1, sizeof *steps);
	size_t n = 0;

	if (!steps)
		return false;
	for (size_t i = 0; i < in->nsteps; i++) {
		const struct hd_step *s = &in->steps[i];

		steps[n] = *s;
		steps[n].index = n;
		n++;
		if (s->kind != HD_STEP_FORK || makes_a_step(in, s->object))
			continue;
		steps[n].kind = HD_STEP_BEGIN;
		steps[n].thread = s->object;
		steps[n].index = n;
		n++;
	}
	free(in->steps);
	in->steps = steps;
	in->nsteps = n;
	return true;
}

#endif
