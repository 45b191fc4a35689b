/*
 * Decide a scene: take an order of what has to happen, play it through, and where a read would see
 * a wrong value or a lock be taken twice, forbid just that (order_solver.h), until an order
 * can be played to its end or nothing is left to try.
 *
 * It begins with the observed order of what the goal needs. Clauses are made only for what
 * goes wrong in some order that was tried, which in most runs is little.
 */
#ifndef HD_PREDICT_REFINE_H
#define HD_PREDICT_REFINE_H

#include "scene.h"

struct hd_budget {
	uint64_t states; /* decisions and conflicts */
	double deadline; /* on the clock of hd_now() */
	size_t bytes;	 /* for what is learned */
};

struct hd_refined {
	enum hd_answer answer;
	const char *why; /* HD_UNDECIDED: the budget that ran out */
	uint64_t states;
	uint32_t *steps; /* HD_FEASIBLE: of the instance, in their order */
	size_t nsteps;
};

/* On HD_OK, free out->steps. HD_INFEASIBLE means what the scene says it does. */
enum hd_err hd_refine(const struct hd_scene *scene, const struct hd_budget *budget,
		      struct hd_refined *out);

#endif
