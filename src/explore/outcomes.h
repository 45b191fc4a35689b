/*
 * What executions come to: each different end once, with a schedule that leads there (--outcomes).
 */
#ifndef HD_EXPLORE_OUTCOMES_H
#define HD_EXPLORE_OUTCOMES_H

#include "campaign/campaign.h"
#include "common/map.h"
#include "findings/observed.h"
#include "report/report.h"
#include "trace/execution.h"

#define HD_OUTCOMES 10000u /* more are counted, but not kept */

struct hd_end {
	unsigned fault; /* enum hd_kind of what ended it; 0: it ended by itself */
	int exited, code;
	unsigned char *observed;
	struct hd_xtext text[2];
	uint64_t hash, executions;
	uint32_t *choices;
	size_t nchoices;
	unsigned round; /* in which it was first reached: where threads could be preempted */
};

struct hd_outcomes {
	struct hd_observed observed;
	struct hd_end *list;
	size_t n, room;
	struct hd_map by_hash; /* to its number in the list + 1 */
	uint64_t left_out;     /* executions that came to ends which were not kept */
	struct hd_report_outcome *told;
	size_t nobserved;
};

/* An execution that came to its end. False: no memory. */
bool hd_outcomes_add(struct hd_outcomes *o, const struct hd_xlog *log, unsigned round);
/* All of them, for another process, and what another one wrote, as if its executions came now. False: no memory, or no sense in it. */
void hd_outcomes_put(const struct hd_outcomes *o, FILE *out);
bool hd_outcomes_get(struct hd_outcomes *o, FILE *in, unsigned round);
void hd_outcomes_clear(struct hd_outcomes *o);
void hd_outcomes_free(struct hd_outcomes *o);

/* In an order that does not depend on the search; then they can be told. False: no memory. */
bool hd_outcomes_sort(struct hd_outcomes *o);
/* A run with its schedule: save it. */
enum hd_err hd_outcome_shown(struct hd_outcomes *o, size_t i, struct hd_campaign *c,
			     struct hd_trial *t);

#endif
