/*
 * What one round of an exploration teaches the next.
 *
 * A round switches threads at synchronisation, at regions, and before the accesses at *sites*;
 * in the first round there are none. Where two accesses race, the instructions of both
 * become sites; where two regions are open at once that must not be, neither is a place to
 * switch at any more: what is inside is looked at access by access, for races, which makes the
 * region as small as the accesses in it. Rounds go on until one brings nothing new. Then no
 * execution has a race of an access that is no site, so that what is done between sites and
 * synchronisation commutes with what others do there: nothing is left out.
 */
#ifndef HD_EXPLORE_REFINEMENT_H
#define HD_EXPLORE_REFINEMENT_H

#include "trace/execution.h"

struct hd_places {
	uint64_t *list; /* in increasing order */
	size_t n, room;
};

struct hd_refinement {
	struct hd_places sites;
	struct hd_places regions; /* that are not to be switched at: where they are opened */
	bool changed;		  /* by hd_refinement_learn(), since the user last cleared it */
};

/* Learn from a fault. False: no memory. */
bool hd_refinement_learn(struct hd_refinement *r, const struct hd_xfault *f, bool race);

bool hd_places_add(struct hd_places *p, uint64_t place, bool *new);
/*
 * As text: hexadecimal, each as the distance from the one before it. NULL: no memory, or
 * (with *@too_many) it would be longer than @max.
 */
char *hd_places_text(const struct hd_places *p, size_t max, bool *too_many);

void hd_refinement_free(struct hd_refinement *r);

#endif
