/*
 * What is asked of many runs of a program: what they are told, what counts, where it goes.
 */
#ifndef HEDDLE_ENGINE_CAMPAIGN_CONFIG_H
#define HEDDLE_ENGINE_CAMPAIGN_CONFIG_H

#include <heddle/engine/findings_config.h>

#define HD_MOST_PARTS 100000u

struct hd_ranks;

struct hd_campaign_config {
	struct hd_run_config run; /* what shapes all of them */
	bool chosen;		  /* the user wants this policy and seed for the first run */
	struct hd_analysis_config analysis;
	struct hd_output_config outputs;
	unsigned jobs;	     /* at the same time; 0: check 1, explore as many as processors */
	bool keep_going;     /* after the first finding */
	const char *folder;  /* for schedules and the report; NULL: heddle-PROGRAM */
	const char *dot;     /* file for the execution graph of the first finding; NULL: none */
	const char *goals;   /* check: try only those in this file; NULL: what analyses find */
	const char *state;   /* file that results of runs are kept in; NULL: none */
	const char *oracle;  /* command that judges a run; NULL: none */
	bool standard_input; /* runs get what the caller has there; else they get none */
	uint64_t stalls;     /* nanoseconds that a thread may be held up in a failure that counts */
	uint64_t runs;	     /* check: that are observed */
	uint64_t
		shuffle; /* check: seed of a random order of the candidates; 0: the likely harmful first */
	unsigned part,
		parts;	 /* only this one of so many, from 1; others do the rest. 0: all of it */
	unsigned nranks; /* processes of this machine that help; 0: none */
	enum hd_mpi mpi; /* or those that MPI has started */
	struct hd_ranks *ranks; /* or these that help; NULL: none */
	uint64_t options; /* a hash of those that decide what is looked for: alike in all parts */
};

#endif
