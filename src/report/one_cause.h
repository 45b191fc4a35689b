/*
 * One cause, one finding: the races of one variable, and what they tear apart.
 */
#ifndef HD_REPORT_ONE_CAUSE_H
#define HD_REPORT_ONE_CAUSE_H

#include "run_model.h"

/*
 * Races on the same variable or block (identity.subject) become one finding with the other pairs
 * of places under it. Possible races on a variable that has a certain one go there, too, unless
 * they are proved not to be, and updates that are torn by accesses that race. What is suppressed
 * stays apart from what is not. A failure that only one order of a race brings about is left to the race. What does no harm,
 * as far as was tried, comes last. Of memory without a name what is between the same lines is one (same_places.h). Without memory some stay findings of their own.
 */
void hd_join_races(struct hd_run *run);

/*
 * Three accesses of which the one in between races with both others? Where a lock, or that they are
 * atomic, keeps it from one of them, the block is torn still when the race is mended: a mistake of its own.
 */
bool hd_is_torn_by_races(const struct hd_finding *f);

/* An update that is lost, seen or predicted, by accesses that race with it. */
bool hd_is_torn_update(const struct hd_finding *f);

/* Were both orders of all its pairs tried, and none failed? */
bool hd_race_is_harmless(const struct hd_finding *f);

#endif
