/*
 * A plan of an untrusted source is believed only if the validator believes it.
 */
#ifndef HD_PREDICT_PLAN_CHECK_H
#define HD_PREDICT_PLAN_CHECK_H

#include "predict/instance.h"

/*
 * HD_OK if the @nsteps positions of @steps are a run that reaches @goal; else another
 * code and, in @eb, what is wrong with it.
 */
typedef enum hd_err (*hd_plan_check)(const struct hd_instance *instance,
				     const struct hd_step_goal *goal, const uint32_t *steps,
				     size_t nsteps, struct hd_errbuf *eb);

#endif
