/*
 * Where and why a run left what it was to follow, in a sentence that text and JSON share.
 */
#ifndef HD_REPORT_DIVERGENCE_H
#define HD_REPORT_DIVERGENCE_H

#include <stdio.h>

#include "run_model.h"

/* "T2 left the plan at bank.c:31 in pay: it read 0 at bank.c:30 in pay, the plan has 1" */
void hd_put_divergence(FILE *out, const struct hd_run *run, const struct hd_finding *f);

#endif
