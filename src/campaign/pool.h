/*
 * Work in processes of their own, several at a time, whose results are taken in order.
 *
 * Tasks are numbered from 0. Later ones are started before earlier ones have ended, in the hope
 * that they will be wanted; what is taken, and in which order, does not depend on how
 * many run at a time. A process is used for a task because a run of a program takes over
 * signals and descriptors, and because it can be ended whatever it does.
 */
#ifndef HD_CAMPAIGN_POOL_H
#define HD_CAMPAIGN_POOL_H

#include <stdbool.h>
#include <stddef.h>

#include "common/clock.h"
#include "common/err.h"

#define HD_POOL_JOBS  64u   /* processes at a time, at most */
#define HD_POOL_AHEAD 1024u /* tasks that are begun and not taken, at most: other ranks have many */

/* How a task's process ended. */
struct hd_task_end {
	int status;	/* that it returned; -1: it was killed, or broke down */
	bool timed_out; /* it was ended for taking too long, and may not have come to its own end */
};

/*
 * A task that takes too long gets SIGTERM, and SIGKILL if it has not ended HD_POOL_PATIENCE later.
 */
#define HD_POOL_PATIENCE 0.5 /* seconds */

struct hd_pool_ops {
	/* Make ready for task @i; false: there are no more. In the order of tasks. */
	bool (*prepare)(void *arg, size_t i);
	/* Need it not be done, as what comes of it is known? How it ended then. May be NULL. */
	bool (*known)(void *arg, size_t i, struct hd_task_end *end);
	/* In the process: do it. Returns the status. */
	int (*work)(void *arg, size_t i);
	/* Its result, in the order of tasks; false: enough, the rest is not wanted. */
	bool (*take)(void *arg, size_t i, const struct hd_task_end *end);
	/* It was made ready and is not wanted after all. */
	void (*drop)(void *arg, size_t i);
	/* While waiting, about ten times a second; may be NULL. */
	void (*idle)(void *arg);
};

struct hd_crew;
struct hd_kept_trials;

struct hd_pool {
	unsigned jobs;	 /* processes at a time, from 1 */
	double limit;	 /* seconds that a task may take; 0: any time */
	double until;	 /* time (hd_now) after which nothing is waited for; 0: never */
	bool unfinished; /* what runs then is asked to end, and is taken as far as it came */
	struct hd_crew
		*crew; /* other ranks do it, if there is more than one job; NULL: there are none */
	struct hd_kept_trials *kept; /* trials that ran before; NULL: nothing is kept */
};

enum hd_pool_why {
	HD_POOL_DONE,	     /* there were no more tasks */
	HD_POOL_ENOUGH,	     /* take() said so */
	HD_POOL_TIME,	     /* until has passed */
	HD_POOL_INTERRUPTED, /* by a signal, see hd_interrupts_take */
	HD_POOL_MEMORY,	     /* the budget's is used up */
	HD_POOL_FAILED,	     /* no process could be started; errno says why */
};

/* Is it all over before everything is done, and why? */
bool hd_pool_is_over(const struct hd_pool *p, enum hd_pool_why *why);

enum hd_pool_why hd_pool_run(const struct hd_pool *p, const struct hd_pool_ops *ops, void *arg);

#endif
