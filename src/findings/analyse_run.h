/*
 * `heddle analyze`: what a recorded run shows, and what it hints at.
 */
#ifndef HD_FINDINGS_ANALYSE_RUN_H
#define HD_FINDINGS_ANALYSE_RUN_H

#include <stdbool.h>

#include "heddle/engine/err.h"
#include "heddle/engine/findings_config.h"
#include "heddle/engine/status.h"

/* @stats: say below the text what the analyses took. */
enum hd_err hd_analyse_trace(const struct hd_analysis_config *what,
			     const struct hd_output_config *outputs, bool stats, const char *path,
			     enum hd_status *status);

#endif
