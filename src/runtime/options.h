/*
 * Options of the runtime: HEDDLE_OPTIONS="a=1:b=2" from the environment, then
 * what the command line handed over, which wins.
 */
#ifndef HD_RUNTIME_OPTIONS_H
#define HD_RUNTIME_OPTIONS_H

#include "rt.h"

extern char hd_rt_record_file[4096];  /* record=FILE in HEDDLE_OPTIONS; empty: none */
extern char hd_rt_suppressions[4096]; /* suppressions=FILE, whole path; empty: none */

/* Reads both; complains on standard error about words it does not know. */
void hd_rt_options_read(void);

/* key=value lines of what shapes the run; returns the length. */
size_t hd_rt_options_print(char *out, size_t size);

#endif
