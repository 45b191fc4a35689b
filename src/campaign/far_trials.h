/*
 * Trials that other ranks run: what a rank is sent, and what it sends back.
 *
 * What a run does depends on the trial alone, so it does not matter where it ran. Rank 0 prepares and takes trials as it does
 * with processes of its own (pool.h), in the same order.
 */
#ifndef HD_CAMPAIGN_FAR_TRIALS_H
#define HD_CAMPAIGN_FAR_TRIALS_H

#include "ranks/crew.h"
#include "trial.h"

/* As hd_trials_run(), by @pool->crew; what nobody else can do is done here. */
enum hd_pool_why hd_far_trials_run(struct hd_trials *t, const struct hd_pool *pool);

/* A trial as bytes after @letter: what to run, and for how many seconds (0: any time). NULL: no memory. */
char *hd_trial_pack(const struct hd_trial *t, double limit, char letter, size_t *len);

#define HD_JOB_TRIAL 'X' /* the letter of those that hd_far_trials_run() posts */

/* What a rank has told of in runs that may be brief: faults by their keys, with the lowest seed of each. */
struct hd_told_faults {
	struct hd_told_fault {
		char key[17];
		uint64_t seed;
	} * list;
	size_t n, room;
};

/* In another rank: run what hd_trial_pack() made, after the letter, and write what came of it. False: that cannot be. */
bool hd_far_trial_run(const struct hd_program *p, const char *bytes, size_t len,
		      struct hd_told_faults *told, FILE *answer);
/* The same, of which only a hash of the events is wanted: does the program do here what it does there? */
bool hd_far_trial_look(const struct hd_program *p, const char *bytes, size_t len, uint64_t *look);
/* That of a run that was made here. */
uint64_t hd_trial_look(const struct hd_trial *t);

#endif
