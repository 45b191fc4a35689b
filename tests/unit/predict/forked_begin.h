/*
 * Random runs in which a forked thread starts with a step of its own, as real ones do: so
 * that its start is an event like others, whatever one thinks of threads without steps.
 */
#ifndef HD_TEST_FORKED_BEGIN_H
#define HD_TEST_FORKED_BEGIN_H

#include <stdlib.h>

#include "predict/instance.h"

/* Put a begin of its thread behind every fork. False: out of memory. */
static inline bool begin_after_fork(struct hd_instance *in)
{
	struct hd_step *steps = calloc(2 * in->nsteps + 1, sizeof *steps);
	size_t n = 0;

	if (!steps)
		return false;
	for (size_t i = 0; i < in->nsteps; i++) {
		steps[n] = in->steps[i];
		steps[n].index = n;
		n++;
		if (in->steps[i].kind != HD_STEP_FORK)
			continue;
		steps[n] = (struct hd_step){
			.kind = HD_STEP_BEGIN, .thread = in->steps[i].object, .index = n};
		n++;
	}
	free(in->steps);
	in->steps = steps;
	in->nsteps = n;
	return true;
}

#endif
