/*
 * A short exploration for another campaign that has found nothing: which schedules of its program fail?
 */
#ifndef HD_EXPLORE_SEARCH_H
#define HD_EXPLORE_SEARCH_H

#include "campaign/campaign.h"
#include "heddle/engine/explore_config.h"

struct hd_exploration;

struct hd_search {
	enum hd_strategy strategy;
	uint64_t executions; /* no more than these ... */
	double seconds;	     /* ... and for no longer */
	bool keep_going;     /* after the first fault */
	bool untold;	     /* there is no note on what it proves */
	/* What came of it. */
	size_t nfaults;
	bool complete; /* nothing else can happen: a note of the campaign says what that rests on */
	struct hd_exploration *by;
};

/*
 * Explore the program of @c, which has observed a run. A program whose schedules cannot be explored has none
 * that fail.
 */
enum hd_err hd_search(struct hd_campaign *c, struct hd_search *s);
/* The run that shows fault @i. */
struct hd_trial hd_search_trial(const struct hd_search *s, size_t i);
void hd_search_free(struct hd_search *s);

#endif
