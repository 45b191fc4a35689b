/*
 * A trial as bytes: what to run, and what came of it. For other ranks, and for files.
 */
#ifndef HD_CAMPAIGN_TRIAL_BYTES_H
#define HD_CAMPAIGN_TRIAL_BYTES_H

#include <stdio.h>

#include "trial.h"

/* A trial as bytes after @letter: what to run, and for how many seconds (0: any time). NULL: no memory. */
char *hd_trial_pack(const struct hd_trial *t, double limit, char letter, size_t *len);

#define HD_JOB_TRIAL 'X' /* the letter of those that are to be run */

/* What was told of in runs that may be brief: faults by their keys, with the lowest seed of each. */
struct hd_told_faults {
	struct hd_told_fault {
		char key[17];
		uint64_t seed;
	} * list;
	size_t n, room;
};

/* Of one that was read: is there nothing to tell of it but that it was, and whether it shows anything? */
bool hd_trial_is_brief(const struct hd_trial *t, struct hd_told_faults *told);
/* What came of @t; if @brief, only that. */
bool hd_trial_put_result(FILE *out, const struct hd_trial *t, const struct hd_task_end *end,
			 bool brief);
/* Into the trial that is prepared, as if it had run here. False: it has to. */
bool hd_trial_take_result(struct hd_trial *t, struct hd_task_end *end, const char *bytes,
			  size_t len, bool *brief);

/* In another rank: run what hd_trial_pack() made, after the letter, and write what came of it. False: that cannot be. */
bool hd_far_trial_run(const struct hd_program *p, const char *bytes, size_t len,
		      struct hd_told_faults *told, FILE *answer);
/* The same, of which only a hash of the events is wanted: does the program do here what it does there? */
bool hd_far_trial_look(const struct hd_program *p, const char *bytes, size_t len, uint64_t *look);
/* That of a run that was made here. */
uint64_t hd_trial_look(const struct hd_trial *t);

#endif
