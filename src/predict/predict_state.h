/*
 * What the parts of predict.h share.
 */
#ifndef HD_PREDICT_STATE_H
#define HD_PREDICT_STATE_H

#include "predict/predict.h"
#include "predict/prepare.h"

struct hd_predict {
	struct hd_trace *trace;
	struct hd_instance in;
	struct hd_prepared prepared;
	bool is_prepared;
	bool is_thin;	     /* without what no order changes (thin.h) */
	uint32_t nlocations; /* with it */
	/* Of each event. */
	uint8_t *ops;
	uint32_t *threads;
	uint64_t nevents;
	size_t ops_room, threads_room;
	/*
	 * Events that a plan has but that are no step to the solvers, by thread (from 1): those of
	 * thread t are loose[loose_from[t]] to loose[loose_from[t + 1]], in order.
	 */
	uint64_t *loose;
	size_t *loose_from;
	uint32_t nthreads; /* the highest number */
};

/*
 * The steps that stand for the events of @goal. HD_ERR_INVALID: there is no such event;
 * HD_ERR_UNSUPPORTED: it has no steps.
 */
enum hd_err hd_goal_steps(const struct hd_predict *p, const struct hd_goal *goal,
			  struct hd_step_goal *step_goal, struct hd_errbuf *eb);

/*
 * Turn the schedule of @s into one of events, each in one piece. False in *@whole: @s takes
 * an event apart, and no order of whole events close to it is valid.
 */
enum hd_err hd_order_events(const struct hd_predict *p, const struct hd_goal *goal,
			    const struct hd_step_goal *step_goal, const struct hd_solution *s,
			    struct hd_prediction *out, bool *whole, struct hd_errbuf *eb);

#endif
