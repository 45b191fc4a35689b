/*
 * Races on memory without a name, and what they tear apart: told once for each pair of places.
 */
#ifndef HD_REPORT_SAME_PLACES_H
#define HD_REPORT_SAME_PLACES_H

#include "run_model.h"

/*
 * Of memory of which neither a name nor who allocated it is known, nothing tells one location from the next: a
 * container that is filled by two threads has many. Races there become one with another race between the
 * same two lines, and so do updates that are torn by it. After races on what has a name were joined
 * (one_cause.h). Those that go are of no kind afterwards; without memory they stay.
 */
void hd_join_same_places(struct hd_run *run);

/* Do the two accesses of a race come from these lines, in whichever order? */
bool hd_is_pair_at(const struct hd_finding *race, const struct hd_access *a,
		   const struct hd_access *b);
bool hd_is_same_line(const struct hd_access *a, const struct hd_access *b);

#endif
