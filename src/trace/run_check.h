/*
 * Could this run have happened? Fed with the events of a run in order, says where
 * it becomes impossible: a lock released that is not held or taken that is, a read
 * of a value that is not there, an event of a thread before its fork or after its
 * join, a block that ends and never began.
 */
#ifndef HD_TRACE_RUN_CHECK_H
#define HD_TRACE_RUN_CHECK_H

#include "common/err.h"
#include "event.h"

struct hd_run_check;

/* @file is named in messages and stays the caller's. */
enum hd_err hd_run_check_new(struct hd_run_check **out, const char *file);
void hd_run_check_free(struct hd_run_check *c);

/* @name: of the location or object at ev->addr, for messages. */
enum hd_err hd_run_check_event(struct hd_run_check *c, const struct hd_event *ev,
			       unsigned long line, const char *name, struct hd_errbuf *eb);

/* What @addr holds now. */
uint64_t hd_run_check_value(const struct hd_run_check *c, uint64_t addr);
/* How many times @thread holds the lock at @addr exclusively. */
uint64_t hd_run_check_holds(const struct hd_run_check *c, uint64_t addr, uint32_t thread);

#endif
