/*
 * Check a program: observe a run, predict what could go wrong in others, run those.
 */
#ifndef HD_CHECK_CHECK_H
#define HD_CHECK_CHECK_H

#include "campaign/campaign.h"

/* A run that was recorded, to begin from in place of an observed one. */
struct hd_recorded {
	const char *path;
	const struct hd_schedule *schedule;
};

/* All of it, to the report; c->status says what came of it. @from may be NULL. */
enum hd_err hd_check_all(struct hd_check *c, const struct hd_recorded *from);

#endif
