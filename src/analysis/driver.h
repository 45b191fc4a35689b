/*
 * All wanted analyses over one run: two passes over its events, in batches, however many they are.
 * In the first they learn what the second does with it.
 *
 *   hd_driver_new, hd_driver_learn ..., hd_driver_begin, hd_driver_feed ..., hd_driver_finish
 */
#ifndef HD_ANALYSIS_DRIVER_H
#define HD_ANALYSIS_DRIVER_H

#include "analysis.h"

/* "race", ... */
const char *hd_analysis_word(enum hd_analysis which);

struct hd_driver;

/* A block was allocated, and all analyses know of it: some of it may belong to a group. */
typedef void hd_driver_alloc_fn(void *arg, const struct hd_event *alloc);

/* @setup is copied. @allocated may be NULL. */
enum hd_err hd_driver_new(struct hd_driver **out, const struct hd_analysis_setup *setup,
			  hd_driver_alloc_fn *allocated, void *arg);
void hd_driver_free(struct hd_driver *d);

/* First pass: all events of the run. HD_ERR_LIMIT: a thread's number is above HD_THREADS_MAX. */
enum hd_err hd_driver_learn(struct hd_driver *d, const struct hd_event *events, size_t n);

/* After it. Analyses that the run has nothing for are left out from here on. */
enum hd_err hd_driver_begin(struct hd_driver *d);

/* Is somebody there for groups of locations? */
bool hd_driver_takes_groups(const struct hd_driver *d);
enum hd_err hd_driver_add_group(struct hd_driver *d, uint64_t addr, uint64_t len, uint32_t group);

/* Second pass: the same events again. HD_ERR_STOPPED: the budget is over; it may be finished. */
enum hd_err hd_driver_feed(struct hd_driver *d, const struct hd_event *events, size_t n,
			   uint64_t first);

/* What is found at the end, and notes. */
enum hd_err hd_driver_finish(struct hd_driver *d);
void hd_driver_notes(struct hd_driver *d, hd_analysis_note_fn *note, void *arg);
const struct hd_analyses_stats *hd_driver_stats(const struct hd_driver *d);

#endif
