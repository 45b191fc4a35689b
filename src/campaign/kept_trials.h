/*
 * Trials whose results are kept in a file (--state): one that ran before, perhaps in a campaign that was ended, does not run
 * again. Nothing else of a campaign is kept: it begins from the start, and comes to where it was by what is known.
 *
 * The same trial may be run several times, to see whether it always does the same: the first asks for the first result, the
 * second for the second. Runs that were ended from outside are not kept.
 */
#ifndef HD_CAMPAIGN_KEPT_TRIALS_H
#define HD_CAMPAIGN_KEPT_TRIALS_H

#include "common/answers.h"
#include "common/map.h"
#include "trial_bytes.h"

struct hd_kept_trials {
	struct hd_answers *answers;
	struct hd_map asked; /* how often, by a hash of the trial */
	struct hd_told_faults told;
	uint64_t used; /* results */
	bool compared; /* the program does what it did when they were kept */
	bool strange;  /* it does not: they are of no use */
};

/* What a trial asks for; of a trial that is prepared, and dropped or taken later. */
struct hd_kept_trial {
	struct hd_answer_key key;
	uint64_t hash; /* of the trial, whichever time it is run */
	char *bytes;   /* its result; NULL: it is to be run */
	size_t len;
	bool compare; /* the first that is known runs once more: does it do the same? */
	bool brief;   /* of the result, once it was taken: there is nothing to read */
};

/* What is known of @t. @k is NULL where nothing is kept. */
void hd_kept_ask(struct hd_kept_trials *k, const struct hd_trial *t, struct hd_kept_trial *out);
/* The result into the prepared trial; false: there is none. */
bool hd_kept_take(struct hd_kept_trials *k, struct hd_kept_trial *kept, struct hd_trial *t,
		  struct hd_task_end *end);
/* It ran, and was read. */
void hd_kept_keep(struct hd_kept_trials *k, const struct hd_kept_trial *kept,
		  const struct hd_trial *t, const struct hd_task_end *end);
/* It ran elsewhere, and there is nothing to tell of it but these bytes. */
void hd_kept_keep_brief(struct hd_kept_trials *k, const struct hd_kept_trial *kept,
			const char *bytes, size_t len);
/* It is over. */
void hd_kept_end(struct hd_kept_trial *kept);
/* It was prepared in vain. */
void hd_kept_drop(struct hd_kept_trials *k, struct hd_kept_trial *kept);

void hd_kept_trials_free(struct hd_kept_trials *k);

#endif
