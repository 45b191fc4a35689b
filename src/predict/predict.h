/*
 * Prediction over one trace, for commands: goals and answers are numbers of events.
 *
 * Made once for a trace, asked any number of times. What an event is to the solvers (steps,
 * from_trace.h) stays in here, and so does which of them answered.
 */
#ifndef HD_PREDICT_H
#define HD_PREDICT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "heddle/engine/predict_config.h"
#include "common/err.h"
#include "trace/trace_reader.h"

#define HD_GOAL_MAX 16

/*
 * What is looked for, as struct hd_step_goal of instance.h has it, in events:
 * - those of @order happen in this order, and with @open_end the last one only has not
 *   happened when the others have;
 * - those of @next are each the next of their thread at the end, not executed.
 * A read that is the last of @order for its thread, or in @next, may see another value.
 */
struct hd_goal {
	uint64_t order[HD_GOAL_MAX];
	size_t norder;
	uint64_t next[HD_GOAL_MAX];
	size_t nnext;
	bool open_end;
};

enum hd_decision {
	HD_DECISION_FEASIBLE,	/* there is a schedule, and the validator believes it */
	HD_DECISION_INFEASIBLE, /* proved: in no order of the run's events */
	HD_DECISION_UNKNOWN,	/* a budget ran out, or the events cannot be reasoned about */
};

/* "feasible", "infeasible", "unknown" */
const char *hd_decision_word(enum hd_decision d);

/* Was heddle built with what it needs? */
bool hd_solver_available(enum hd_solver solver);

struct hd_prediction {
	enum hd_decision decision; /* of the precise question, whatever relaxed says */
	char why[256];		   /* UNKNOWN: which budget; else what settled it */
	double seconds;
	uint64_t states;
	/*
	 * Events of the window that was enough for the schedule. INFEASIBLE: the whole run. UNKNOWN:
	 * the largest window in which there is proved to be none; empty if there is no such proof.
	 */
	uint64_t window_first, window_end;
	/*
	 * A schedule: the first @prefix events of the run as observed, then @events. It is a precise
	 * one of a FEASIBLE goal or, with @relaxed, one that respects locks, forks and joins and
	 * the order of other synchronisation, but not values: the program may leave it.
	 */
	bool scheduled, relaxed;
	uint64_t prefix;
	uint64_t *events;
	size_t nevents;
	bool disagreed; /* HD_SOLVER_BOTH: the two do not agree, which is a mistake of ours */
};

void hd_prediction_free(struct hd_prediction *p);

struct hd_predict;

/*
 * Read @t, which is borrowed. Of a damaged file all before the damage is taken, and that is no
 * error here: whoever asks knows of it already. Memory: some 100 bytes an event.
 */
enum hd_err hd_predict_new(struct hd_predict **out, struct hd_trace *t, struct hd_errbuf *eb);
void hd_predict_free(struct hd_predict *p);

/* How much the run is to the solvers. */
struct hd_predict_size {
	uint64_t events;
	size_t steps;
	uint32_t threads, locations, locks;
};
struct hd_predict_size hd_predict_size(const struct hd_predict *p);

/*
 * Goals are made of events that matter to other threads. One that does not can happen at any time
 * between the nearest ones of its thread that do: these stand for it.
 */
bool hd_predict_matters(const struct hd_predict *p, uint64_t event);
/* What no order changes matters too from now on, such as a read of what nobody writes any more. */
enum hd_err hd_predict_take_all(struct hd_predict *p, struct hd_errbuf *eb);
bool hd_predict_reads(const struct hd_predict *p, uint64_t event);
/* The nearest one before or after @event; false: there is none. */
bool hd_predict_nearest(const struct hd_predict *p, uint64_t event, bool after, uint64_t *out);

/*
 * Decide @goal; @options may be NULL. HD_ERR_INVALID: the goal names an event that there is not.
 * On HD_OK free @out with hd_prediction_free().
 */
enum hd_err hd_predict_decide(struct hd_predict *p, const struct hd_goal *goal,
			      const struct hd_predict_options *options, struct hd_prediction *out,
			      struct hd_errbuf *eb);

/*
 * The schedule of @prediction as a plan that the runtime follows (trace/plan.h), with the
 * program's command line and options. Reads the trace once more. @out is freed by the caller.
 */
struct hd_plan;
enum hd_err hd_predict_plan(struct hd_predict *p, const struct hd_goal *goal,
			    const struct hd_prediction *prediction, struct hd_plan *out,
			    struct hd_errbuf *eb);

/* The goal as a planning problem (pddl.h). */
enum hd_err hd_predict_pddl(struct hd_predict *p, const struct hd_goal *goal, FILE *domain,
			    FILE *problem, struct hd_errbuf *eb);

#endif
