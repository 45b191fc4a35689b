/*
 * Loops over one to three ranges, for hj.h and hclib.h.
 */
#ifndef HD_TASKS_TASK_LOOPS_H
#define HD_TASKS_TASK_LOOPS_H

#include "task.h"

struct hd_loop {
	unsigned dim;
	void (*step)(const struct hd_loop *loop, long i, long j, long k);
	void *fn; /* the program's, of the type that step knows */
	void *arg;
};

/*
 * Make the tasks of @loop over the @dim ranges @r, in @me's innermost finish; @me NULL: run it here.
 * Recursive: tasks halve their part until it is a chunk, else each chunk is a task at once.
 */
void hd_loop_run(struct hd_task *me, const struct hd_loop *loop, const struct hj_range *r,
		 bool recursive);

#endif
