/*
 * A problem in which no schedule can take an event of several cells apart.
 */
#ifndef HD_PREDICT_GUARD_H
#define HD_PREDICT_GUARD_H

#include "instance.h"

#define HD_NOT_A_STEP UINT32_MAX

struct hd_guarded {
	struct hd_instance in;
	struct hd_step_goal goal;
	uint32_t *from; /* of each step: what it was, HD_NOT_A_STEP for locks that were put in */
	uint32_t *to;	/* of each step that was: where it is now */
};

enum hd_err hd_guard(struct hd_guarded *out, const struct hd_instance *in,
		     const struct hd_step_goal *goal);
void hd_guarded_free(struct hd_guarded *g);

/* Make a schedule of @g one of the problem it came from, in place; its new length. */
size_t hd_unguard(const struct hd_guarded *g, uint32_t *steps, size_t n);

#endif
