/*
 * The interleaving of a finding, drawn: time goes down, a column for each thread.
 */
#ifndef HD_REPORT_COLUMNS_H
#define HD_REPORT_COLUMNS_H

#include <stdio.h>

#include "run_model.h"

/* Nothing if there are no steps. */
enum hd_err hd_put_columns(FILE *out, const struct hd_run *run, const struct hd_finding *f);

/* "write 'counter' = 5 bank.c:14": one step, without its thread. */
void hd_put_step(FILE *out, const struct hd_run *run, const struct hd_step *step);

#endif
