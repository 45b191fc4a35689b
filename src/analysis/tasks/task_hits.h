/*
 * What an analysis of tasks has found, each combination of sites once, until it is told.
 */
#ifndef HD_ANALYSIS_TASK_HITS_H
#define HD_ANALYSIS_TASK_HITS_H

#include "task_cells.h"
#include "task_locks.h"
#include "task_values.h"
#include "trace/found.h"

/* How much an atomicity violation weighs, rising: see task_check.h. */
enum hd_hit_weight { HD_HIT_PATTERN, HD_HIT_STALE, HD_HIT_DECLARED };

struct hd_task_hit {
	bool race;
	bool doubtful; /* by values: task_values.h */
	enum hd_hit_weight weight;
	uint64_t addr;
	uint32_t size;
	int group;	     /* -1: none */
	uint8_t naccesses;   /* 2 of a race, 3; 4 of a group */
	uint8_t of_other[4]; /* of a group: by the step that tears, not by the torn one */
	hd_dpst_id steps[4]; /* of the accesses: e1, f, e2, or first, second */
	struct hd_did_at at[4];
	uint64_t addrs[4];
	uint64_t merged;
	char pattern[5];
};

/* Does an event of kind @op write? */
static inline bool hd_did_writes(uint8_t op)
{
	return op == HD_OP_WRITE || op == HD_OP_WRITE_RANGE || op == HD_OP_ATOMIC_STORE ||
	       op == HD_OP_ATOMIC_RMW;
}

struct hd_task_hits {
	struct hd_intern sites;
	struct hd_intern seen;	  /* combinations */
	struct hd_task_hit *hits; /* by number in seen, less 1 */
	size_t nhits, room, told;
	const struct hd_task_locks *locks;
	struct hd_values *values; /* NULL: nothing is doubtful */
	struct hd_steps *steps;	  /* where there are values */
	uint64_t doubtful;	  /* told as such */
	bool failed;
};

void hd_task_hits_free(struct hd_task_hits *h);

uint32_t hd_task_hits_site(struct hd_task_hits *h, const struct hd_did_site *site);
const struct hd_did_site *hd_task_hits_at(const struct hd_task_hits *h, uint32_t site);

/* @locations: the same sites at other locations are another one. */
void hd_task_hits_add(struct hd_task_hits *h, const struct hd_task_hit *hit, bool locations);

/* Tell of all that were not told before. */
void hd_task_hits_tell(struct hd_task_hits *h, struct hd_steps *steps, hd_found_fn *fn, void *arg);

#endif
