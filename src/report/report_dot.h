/*
 * The execution that a finding was seen in, as a graph for Graphviz: what threads did to each other, in which order, who read
 * whose write, and how locks were passed on.
 */
#ifndef HD_REPORT_DOT_H
#define HD_REPORT_DOT_H

#include <stdio.h>

#include "run_model.h"

/* Reads the trace of the run that @f tells of, which @run lists. HD_ERR_NOMEM, HD_ERR_IO. */
enum hd_err hd_report_dot(FILE *out, const struct hd_run *run, const struct hd_finding *f);

#endif
