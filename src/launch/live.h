/*
 * Findings in one line each, as they are made: a long command does not keep to itself until its end
 * what it knows. They go to standard error; the report tells everything again, in full.
 *
 * Nothing is told in a command's first second: what is over by then has its report at once. A test
 * that compares all output sets HEDDLE_TELL_AFTER to another number of seconds.
 */
#ifndef HD_LAUNCH_LIVE_H
#define HD_LAUNCH_LIVE_H

#include <stdbool.h>

#include "report/run_model.h"
#include "collector.h"

/* @wanted: the user did not ask for silence. Until this is called nothing is told. */
void hd_live_init(bool wanted);

/* Tell of the faults of @run that nobody has told of yet. */
void hd_live_run(const struct hd_run *run);

/* Tell of a fault that only this is known of. */
void hd_live_fault(unsigned kind, uint64_t execution);

/* Listen to what @c collects; NULL: nobody wants to. To be freed when @c has stopped. */
struct hd_live *hd_live_listen(struct hd_collector *c);
void hd_live_free(struct hd_live *l);

#endif
