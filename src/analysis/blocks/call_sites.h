/*
 * Places in the code told apart by who called: the same line of a function that many call is
 * harmless for one caller and an error for another.
 */
#ifndef HD_ANALYSIS_CALL_SITES_H
#define HD_ANALYSIS_CALL_SITES_H

#include "common/map.h"

/* Contexts of a place that are told apart; all further ones count as one. */
#define HD_CALL_SITES_MAX 8u

struct hd_call_sites {
	struct hd_map number; /* of a place in a context */
	struct hd_map count;  /* of the contexts of a place */
};

void hd_call_sites_free(struct hd_call_sites *s);

/* A number for @pc when it is reached by @ctx, other than @pc itself; 0: out of memory. */
uint64_t hd_call_site(struct hd_call_sites *s, uint64_t pc, uint32_t ctx);

#endif
