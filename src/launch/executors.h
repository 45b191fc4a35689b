/*
 * Several programs that execute on request, at the same time.
 *
 * The explorer asks for one execution after the other, and says what it will probably ask for next.
 * That is executed ahead. What comes out depends on the request, and on what those before it have taught about
 * loops that wait. What was executed ahead without knowing that is executed again. So the number of programs
 * changes nothing but the time.
 */
#ifndef HD_LAUNCH_EXECUTORS_H
#define HD_LAUNCH_EXECUTORS_H

#include <pthread.h>

#include "common/err.h"
#include "executor.h"

#define HD_EXECUTORS 64u

struct hd_executors {
	unsigned n;
	struct hd_executor each[HD_EXECUTORS];
	struct hd_xknown *known;
	uint64_t *taught;
	struct hd_lessons lessons; /* of these */
	/* More than one: the first is the explorer's own, the others work ahead. */
	pthread_t threads[HD_EXECUTORS];
	unsigned nthreads;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct hd_job *jobs; /* in the order in which they are wanted */
	struct hd_job *last; /* whose log the explorer is looking at */
	bool over;
	bool alone; /* the program changes files: executions at the same time would meet */
};

/* Start @n programs; each of @e->each has its limits already. As hd_executor_start(). */
enum hd_err hd_executors_start(struct hd_executors *e, unsigned n, char **argv,
			       const struct hd_run_config *run, int in);
void hd_executors_stop(struct hd_executors *e);

/* For struct hd_xoptions. */
#define HD_EXECUTORS_AHEAD(e) ((e)->n > 1 ? 4 * (size_t)(e)->n : 0)

enum hd_err hd_executors_run(struct hd_executors *e, const struct hd_xrequest *request,
			     struct hd_xlog *log, struct hd_errbuf *eb);
void hd_executors_ahead(struct hd_executors *e, const struct hd_xasked *likely, size_t n);

/* Nothing is known about loops that wait any more. Context: after hd_executors_forget(), and before anything runs. */
void hd_executors_unlearn(struct hd_executors *e);

/* What executions of an earlier part have taught. Context: before anything runs. */
void hd_executors_know(struct hd_executors *e, const uint64_t *lessons, size_t n);

/* A new exploration: no state is known. */
void hd_executors_forget(struct hd_executors *e);

#endif
