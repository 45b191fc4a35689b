/*
 * What is asked of an exploration.
 */
#ifndef HEDDLE_ENGINE_EXPLORE_CONFIG_H
#define HEDDLE_ENGINE_EXPLORE_CONFIG_H

#include <heddle/engine/campaign_config.h>

/* Which schedules to try, and in which order; docs/guide has a page on each. */
enum hd_strategy {
	HD_STRATEGY_AUTO,
	HD_STRATEGY_DPOR,
	HD_STRATEGY_REGIONS,
	HD_STRATEGY_BOUNDED,
	HD_STRATEGY_PCT,
	HD_STRATEGY_RANDOM,
	HD_STRATEGY_NAIVE,
	HD_STRATEGIES
};
/* Is a state gone on from only the first time it is met? EXACT: states are compared in full. */
enum hd_match { HD_MATCH_NO, HD_MATCH_YES, HD_MATCH_EXACT };

struct hd_explore_config {
	struct hd_campaign_config campaign;
	enum hd_strategy strategy;
	enum hd_match match;
	enum hd_snapshots snapshots;
	bool infer_regions;
	bool commute;	      /* additions that nobody looks at come in one order */
	bool symmetry;	      /* threads that begin alike are not told apart */
	uint32_t preemptions; /* BOUNDED: switches away from a thread that could go on */
	uint32_t depth;	      /* decisions after which an execution is cut off */
	uint64_t executions;  /* 0: no limit */
	uint64_t spins;	      /* rounds of a waiting loop that are tried; 0: all */
	uint64_t pct_length;  /* PCT: decisions of an execution; 0: as executions show */
	bool outcomes;	      /* list all ends that executions come to */
	const char *observe;  /* variables that are part of an end: "x, y[2]"; NULL: none */
	bool suggest_orders;  /* with HD_MODEL_C11: which memory orders the program needs */
	const char *resume;   /* file of an unfinished exploration; NULL: begin */
};

/* "auto", "dpor", ... in the order of the enum; NULL at the end. */
extern const char *const hd_strategy_words[HD_STRATEGIES + 1];

#endif
