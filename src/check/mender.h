/*
 * Looking for what would mend a finding, from within.
 *
 *   remedy.c         for which findings, one after the other
 *   mend_accesses.c  accesses that belong together: critical sections around them
 *   mend_waits.c     locks that wait for each other, waits that do not look again
 *   mender_runs.c    the runs in which a remedy has to stand
 *   mender_words.c   the sentence on it
 */
#ifndef HD_CHECK_MENDER_H
#define HD_CHECK_MENDER_H

#include <stdio.h>

#include "campaign/campaign.h"
#include "explore/search.h"
#include "trace/segments.h"

#define HD_MEND_RUNS	 100u /* of each kind that choose at random, if the failing run is mended */
#define HD_MEND_LOCKS	 4u   /* that are tried */
#define HD_MEND_SECTIONS 4u   /* places of one remedy */
#define HD_MEND_VALUES	 2u   /* with which a wait begins again */
#define HD_MEND_ACCESSES 4u   /* of a finding */
#define HD_NEW_LOCK	 0u
#define HD_ANYWHERE	 0xffffu /* as in sections.c */

struct hd_mend_section {
	/* Instructions; the same one: nothing but that access. To 0: as long as the function that is so many calls up. */
	uint64_t lock, from, to;
	unsigned up;
	size_t access; /* of the finding, that FROM is about */
};

/* Places of a thread in one call, from the first to the last. */
struct hd_mend_extent {
	uint64_t first, last; /* instructions; 0: none */
	uint64_t
		outer; /* where the outermost lock was taken that it had at the first one; 0: it had none */
	uint64_t outer_lock;
};

/* The last read by which a thread had the address of the block that it uses, or frees. */
struct hd_mend_pointer {
	uint64_t pc;
	uint32_t ctx;
	uint64_t lock; /* a mutex that was held; 0: none */
};

struct hd_mend_held {
	uint32_t thread;
	uint64_t lock, pc;
	uint16_t mode;
};

struct hd_mender {
	struct hd_campaign *c;
	struct hd_finding *f;
	const struct hd_run *run; /* that shows it */
	const struct hd_witness *witness;
	struct hd_segments schedule;
	const struct hd_search *by; /* whose faults are looked at; NULL: nobody's */
	/* By the accesses of the finding: of the variable, and of all that the threads share. */
	struct hd_mend_extent used[HD_MEND_ACCESSES], shared[HD_MEND_ACCESSES];
	struct hd_mend_pointer pointers[2];
	struct hd_map users; /* address -> which of the threads use it */
	struct hd_mend_held *held;
	size_t nheld, held_room;
	struct hd_mend_vote {
		uint64_t lock;
		size_t times;
	} votes[HD_MEND_LOCKS]; /* locks that the variable is used under */
	size_t nvotes;
	struct hd_mend_section sections[HD_MEND_SECTIONS];
	size_t nsections;
	struct hd_map tried; /* hash of sections -> 1 */
	char hold[HD_MEND_SECTIONS * 64];
	/* The instruction by which the torn thread waits between its accesses; 0: it does not. */
	uint64_t wait;
	bool looks; /* after that it comes to the first access's place again */
	uint64_t values[HD_MEND_VALUES];
	size_t nvalues;
	char again[HD_MEND_VALUES * 80];
	unsigned ran, ways;
	double until; /* for runs by chance */
	bool fails;
	bool unrefuted; /* with some way nothing failed, in as many runs as there was time for */
	bool by_output; /* what is written while a lock is held is normal; see torn_output.c */
	struct hd_normal normal; /* if so: with what the runs so far have written */
	enum hd_err rc;
};

static inline bool hd_is_mutex(uint16_t mode)
{
	return (mode & HD_LOCK_KIND_MASK) == HD_LOCK_MUTEX && !(mode & HD_LOCK_SHARED);
}

/* ---- mender_runs.c ---- */

/* With what the campaign's runs are told now (hold, again): do all come to a good end? */
bool hd_mender_goes_well(struct hd_mender *r);
/* The same with the sections held together. */
bool hd_mender_stands(struct hd_mender *r);

/* ---- mender_words.c ---- */

typedef void hd_mender_words(FILE *out, const struct hd_mender *r);

hd_mender_words hd_put_held_sections, hd_put_lock_order, hd_put_waiting_again;
/* What was tried last stands, as @put says; NULL: nothing does. */
enum hd_err hd_mender_tell(struct hd_mender *r, hd_mender_words *put);

/* ---- mend_accesses.c ---- */

/* Learn from the run that shows the finding. */
enum hd_err hd_mender_look(struct hd_mender *r);
void hd_mender_add(struct hd_mender *r, struct hd_mend_section s);
enum hd_err hd_mend_accesses(struct hd_mender *r);

bool hd_access_holds(const struct hd_access *a, uint64_t lock);

/* ---- mend_waits.c ---- */

/* Does it help to wait again? */
bool hd_mend_wait(struct hd_mender *r);
enum hd_err hd_mend_order(struct hd_mender *r);
bool hd_is_cycle_of_locks(const struct hd_finding *f);

#endif
