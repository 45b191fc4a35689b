/*
 * `heddle predict`: decide what a recorded run makes possible, and report it.
 */
#ifndef HD_FINDINGS_PREDICT_RUN_H
#define HD_FINDINGS_PREDICT_RUN_H

#include "heddle/engine/err.h"
#include "heddle/engine/predict_config.h"
#include "heddle/engine/status.h"

enum hd_err hd_predict_trace(const struct hd_predict_config *config, const char *path,
			     enum hd_status *status);

#endif
