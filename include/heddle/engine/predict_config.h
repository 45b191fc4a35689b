/*
 * What is asked of a recorded run: which other orders of it are possible.
 */
#ifndef HEDDLE_ENGINE_PREDICT_CONFIG_H
#define HEDDLE_ENGINE_PREDICT_CONFIG_H

#include <stddef.h>

#include <heddle/engine/findings_config.h>

enum hd_solver {
	HD_SOLVER_SEARCH,
	HD_SOLVER_SAT,
	HD_SOLVER_BOTH, /* and compare */
};

/* 0 or NULL is the default of each. */
struct hd_predict_options {
	enum hd_solver solver;
	uint64_t states; /* of the search */
	double seconds;	 /* for one goal */
	size_t bytes;
	size_t window;	     /* steps around the goal that are tried first */
	bool relaxed;	     /* without a precise schedule, look for one that ignores values */
	const char *planner; /* instead of a solver: a command, docs/guide/predict.md */
};

struct hd_predict_config {
	struct hd_analysis_config analysis; /* whose candidates are decided ... */
	struct hd_output_config outputs;
	struct hd_predict_options how;
	const char
		*patterns; /* ... or these: "E1,F,E2" in numbers of events, with ';' between them */
	const char *goals; /* ... or those in this file */
	const char *plans; /* folder for plans; NULL: none are written */
	const char *pddl;  /* folder for planning problems; NULL: the same */
	unsigned nranks;   /* processes of this machine that decide; 0: this one */
	enum hd_mpi mpi;   /* or those that MPI has started */
	const char *state; /* file that what is decided is kept in; NULL: none */
};

#endif
