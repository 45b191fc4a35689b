/*
 * One run of the program: what to run, and what it did.
 *
 * A trial runs in a process of the pool (pool.h): made ready before, worked in the
 * process, read back after it has ended.
 */
#ifndef HD_CAMPAIGN_TRIAL_H
#define HD_CAMPAIGN_TRIAL_H

#include "common/err.h"
#include "behaviour.h"
#include "findings/child_runs.h"
#include "pool.h"
#include "report/run_model.h"
#include "trace/plan.h"
#include "heddle/engine/run_config.h"
#include "trace/segment.h"

/* What all runs have in common. */
struct hd_program {
	char **argv;
	int argc;
	int input;	    /* what the program reads as standard input, from its start */
	const char *oracle; /* the user's command; NULL: none */
};

/*
 * Read all of standard input, so that every run gets the same. If it is not @standard, or a
 * terminal, runs get nothing.
 */
enum hd_err hd_program_input(struct hd_program *p, bool standard);

/* What the process tells. */
struct hd_trial_told {
	enum hd_err rc;		/* of hd_launch */
	struct hd_errbuf error; /* the same in words */
	bool attached, random_addresses;
	double seconds;
	int oracle;
	struct hd_errbuf write_error;
	char stuck[512]; /* where it came to no scheduling point for long; "": nowhere */
};

struct hd_trial {
	/* What to run. Everything that is pointed to is somebody else's. */
	struct hd_run_config run_as; /* what shapes the run, and what its trace says */
	enum hd_policy_word follow;  /* as in struct hd_launch */
	const struct hd_plan *plan;
	const char *after; /* with a plan: how to go on */
	const struct hd_segment *segments;
	size_t nsegments;
	const uint32_t *choices;
	size_t nchoices;
	size_t keep; /* bytes of events that stay decoded, for a run that is read again and again */
	bool brief; /* another rank may leave out a run that shows nothing which a lower seed did not */
	/* What came of it. */
	int trace_fd, text_fd[HD_STREAMS];
	int children_fd;	    /* what followed children did, one after the other; 0: none */
	struct hd_trial_told *told; /* shared with the process */
	int files; /* journal of what it changes in files, undone when it has ended; 0: none */
	bool changed_files;
	bool timed_out;
	bool shows;		/* of one that was left out: it has findings */
	struct hd_trace *trace; /* NULL: there is nothing to read */
	struct hd_run run;
	struct hd_child_runs children; /* whose findings the run is to list in the end */
	struct hd_behaviour behaviour;
};

/* Files for it; after a message false, and there is nothing to free. */
bool hd_trial_prepare(struct hd_trial *t);
/* In the process: run it. The status says nothing but that it came to its end. */
int hd_trial_work(struct hd_trial *t, const struct hd_program *p);
/*
 * Read back what it did; findings have their ids, the trace is open. HD_OK, whatever
 * the program did; else an exit status, after a message.
 */
enum hd_err hd_trial_read(struct hd_trial *t, const struct hd_task_end *end);
void hd_trial_free(struct hd_trial *t);
/* Has it findings of its own? */
bool hd_trial_shows(const struct hd_trial *t);
/* Keep @t, which is then empty; NULL: no memory. */
struct hd_trial *hd_trial_keep(struct hd_trial *t);
/* Was it ended before it had come to its end? It has not failed then: it may only be slow. */
bool hd_trial_was_ended(const struct hd_trial *t);

/* Trials one after the other in @pool's way: @next fills in what to run, @take looks at it. */
struct hd_trials {
	const struct hd_program *program;
	void *arg;
	/* Trial number @i; false: there are no more. */
	bool (*next)(void *arg, size_t i, struct hd_trial *t);
	/* It is freed afterwards, unless taken over by a copy and cleared. False: enough. */
	bool (*take)(void *arg, size_t i, struct hd_trial *t);
	void (*idle)(void *arg); /* may be NULL */
	enum hd_err rc;		 /* out: HD_OK, or an exit status after a message */
};

/* One that is prepared, by a process of its own; not read yet. False: there is no process for it, or an interrupt ended it. */
bool hd_trial_run(struct hd_trial *t, const struct hd_program *p, double limit,
		  struct hd_task_end *end);

enum hd_pool_why hd_trials_run(struct hd_trials *t, const struct hd_pool *pool);

#endif
