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

/* The steps of it, for those who look at what was kept: @c has its config and program. */
enum hd_err hd_check_all(struct hd_campaign *c, const struct hd_recorded *from);

/*
 * Only whether @units can be torn, without a report: c->attempts has the verdicts, and the runs that show them
 * their files. @c has its config and program.
 */
enum hd_err hd_check_units(struct hd_campaign *c, struct hd_units *units);

/* Check @argv (NULL at the end), to the report; *@status says what came of it. @from may be NULL. */
enum hd_err hd_check_program(const struct hd_campaign_config *config, char **argv,
			     const struct hd_recorded *from, enum hd_status *status);

#endif
