/*
 * Third pass over a trace: what the threads of a finding did from its first access
 * to its last.
 */
#ifndef HD_REPORT_INTERLEAVING_H
#define HD_REPORT_INTERLEAVING_H

#include "run_model.h"

#define HD_STEPS_SHOWN 20u /* lines of one finding; the middle of longer ones is left out */

/*
 * Fill in the steps of findings whose accesses were recorded: their accesses, and in
 * between the other accesses to the location, locks, waits, forks and joins of the threads
 * that they are of. Others keep none.
 */
enum hd_err hd_interleave(struct hd_run *run, struct hd_errbuf *eb);

/* Should an interleaving of @f show @ev beside the finding's own accesses? */
bool hd_is_of_interest(const struct hd_finding *f, const struct hd_event *ev);

#endif
