/*
 * The work of `heddle predict`: what is to be decided, and what came out.
 */
#ifndef HD_FINDINGS_PREDICT_WORK_H
#define HD_FINDINGS_PREDICT_WORK_H

#include "common/err.h"
#include "candidates.h"
#include "outputs.h"
#include "predict_match.h"
#include "predictor.h"

/* One question. */
struct hd_item {
	const char *kind;      /* "RWW", "race", "deadlock", "goal" */
	const char *text;      /* of a user's goal, else NULL */
	struct hd_found found; /* borrowed from a candidate, or accesses that are the item's own */
	bool own_accesses;
	bool counts;		     /* a precise schedule for it is a finding */
	bool is_pattern;	     /* three accesses: listed as `patterns` */
	const struct hd_goal *goals; /* any of them will do */
	size_t ngoals;
	bool more_ways; /* than are listed */
	size_t chosen;	/* the goal that the prediction is for */
	struct hd_prediction p;
	char *plan; /* file, or NULL */
};

struct hd_work {
	bool all;      /* what is not possible is told, too */
	bool patterns; /* the goals are patterns */
	const char *plans,
		*pddl; /* folders for plans and planning problems; NULL: none are written */
	struct hd_trace *trace;
	struct hd_run run;
	struct hd_candidates candidates;
	struct hd_user_goals goals;
	struct hd_predictor predictor;
	struct hd_predict_options how;
	double total; /* seconds for all; 0: no limit */
	struct hd_item *items;
	size_t n;
	bool disagreed;
	double seconds; /* that the decisions took */
	const char *notes[8];
	size_t nnotes;
};

/* Put the items together from candidates and goals; after @w->run was read. */
enum hd_err hd_work_items(struct hd_work *w, struct hd_errbuf *eb);
void hd_work_free(struct hd_work *w);

/* Decide one: its prediction, and the goal that this is for. */
enum hd_err hd_work_decide_item(struct hd_work *w, struct hd_item *item, struct hd_errbuf *eb);
/* The same of item @i, by somebody else. */
typedef enum hd_err hd_work_decider(void *arg, struct hd_work *w, size_t i, struct hd_errbuf *eb);
/* Decide them all, one after the other; by @decider, unless it is NULL. */
enum hd_err hd_work_decide(struct hd_work *w, hd_work_decider *decider, void *arg,
			   struct hd_errbuf *eb);

/* Write what --plans and --pddl ask for; one file or two for each item. */
enum hd_err hd_work_files(struct hd_work *w, struct hd_errbuf *eb);

/* Report: text and files. An exit status. */
enum hd_err hd_work_report(struct hd_work *w, struct hd_outputs *outputs, double seconds,
			   enum hd_status *status);

/* The goal of an item that its prediction is for. */
static inline const struct hd_goal *hd_item_goal(const struct hd_item *item)
{
	return &item->goals[item->chosen];
}

#endif
