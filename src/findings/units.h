/*
 * Units that somebody says can be torn, by their places in the source: candidates of a run of the same program.
 */
#ifndef HD_FINDINGS_UNITS_H
#define HD_FINDINGS_UNITS_H

#include "candidates.h"

#define HD_UNIT_ACCESSES 4u

/* An access of a unit, or of what comes into its gap. */
struct hd_unit_access {
	char file[512];	    /* as the compiler saw it */
	char variable[256]; /* "": it has no name */
	uint32_t line;
	bool write;
	uint64_t addr; /* in the caller's own run: equal ones are on the same memory here, too */
};

/*
 * The accesses in the order that tears it. The first and the last are the unit's own, those between another
 * thread's. Two alone are a race.
 */
struct hd_unit {
	struct hd_unit_access access[HD_UNIT_ACCESSES];
	size_t naccesses;
	size_t finding; /* the caller's number of it */
	bool all;	/* set below: each time that the run had these accesses is a candidate */
};

struct hd_units {
	struct hd_unit *list;
	size_t n, room;
};

/*
 * Look for them in the run, which is read already, and add the first times that it had all of one's accesses
 * to @out: candidates that say which unit they are (hd_candidate.unit).
 */
enum hd_err hd_candidates_of_units(struct hd_candidates *out, struct hd_units *units,
				   struct hd_run *run, struct hd_errbuf *eb);

#endif
