/*
 * A prediction problem as clauses, in the manner of order encodings: a variable for "this
 * step is executed" and one for "this step is before that one".
 *
 * Steps that are not executed have a place in the order as well: behind, as observed.
 */
#ifndef HD_PREDICT_SAT_ENCODE_H
#define HD_PREDICT_SAT_ENCODE_H

#include "predict/step_index.h"

struct hd_sat_problem {
	const struct hd_instance *in;
	const struct hd_step_goal *goal;
	struct hd_step_index index;
	/* Nodes are the steps that can matter, in the observed order. */
	uint32_t *step_of; /* the step of each node */
	uint32_t *node_of; /* the node of each step, or HD_NO_STEP */
	size_t nnodes;
	bool too_large; /* more than the limit: there are no clauses */
	int *executed;	/* of each node: the variable */
	int *differs;	/* of each node: "reads another value", 0 if it may not */
	int *before;	/* nnodes x nnodes: the literal */
	int nvars;
	int *clauses; /* literals, a 0 after each clause */
	size_t nliterals, room;
	bool out_of_memory;
};

/* To be freed with hd_sat_problem_free(), also when it failed. */
enum hd_err hd_sat_encode(struct hd_sat_problem *problem, const struct hd_instance *instance,
			  const struct hd_step_goal *goal, size_t max_nodes, struct hd_errbuf *eb);
void hd_sat_problem_free(struct hd_sat_problem *problem);

#endif
