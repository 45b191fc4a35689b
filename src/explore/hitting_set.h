/*
 * The cheapest set that has at least one item of each of several others.
 */
#ifndef HD_EXPLORE_HITTING_SET_H
#define HD_EXPLORE_HITTING_SET_H

#include <stdbool.h>
#include <stddef.h>

struct hd_hitting {
	struct hd_hit_list {
		unsigned *items;
		size_t n;
	} * lists; /* what is to be hit */
	size_t n, room;
	bool gave_up; /* there were too many sets to look at: the answer may not be the cheapest */
};

/* Takes @items over. False: no memory. */
bool hd_hitting_add(struct hd_hitting *h, unsigned *items, size_t n);
/*
 * Into @chosen, which has room for all items. @cost: of each item, 0: not to be used. False: no set costs less
 * than @below.
 */
bool hd_hitting_cheapest(struct hd_hitting *h, const unsigned *cost, size_t nitems, unsigned below,
			 bool *chosen);
void hd_hitting_free(struct hd_hitting *h);

#endif
