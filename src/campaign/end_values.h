/*
 * With which values a run ends, and by what two runs that failed neither differ.
 */
#ifndef HD_CAMPAIGN_END_VALUES_H
#define HD_CAMPAIGN_END_VALUES_H

#include "trial.h"

/* The two accesses of a race, in the order in which the plan has them; see hd_ended_apart(). */
struct hd_apart {
	uint64_t addr; /* the location that they race on */
	uint32_t size;
	uint64_t pc[2];
	uint8_t op[2];
};

/*
 * By what do @a and @b differ at their ends, in which the two accesses came in one order and in the
 * other? Looked at are the last values written to the location, then to other variables of the
 * program and its libraries that were recorded, then what the racing reads saw, then the output.
 * Addresses do not count: memory may be given out in another order. A sentence goes to @words;
 * false: by nothing.
 */
bool hd_ended_apart(struct hd_trial *a, struct hd_trial *b, const struct hd_apart *race,
		    char *words, size_t len);

#endif
