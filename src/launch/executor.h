/*
 * A program that executes on request, for the explorer (trace/execution_shared.h).
 */
#ifndef HD_LAUNCH_EXECUTOR_H
#define HD_LAUNCH_EXECUTOR_H

#include <stdbool.h>
#include <sys/types.h>

#include "common/err.h"
#include "trace/execution_shared.h"
#include "heddle/engine/run_config.h"
#include "watch.h"

struct hd_executor {
	struct hd_xshared *shared;
	pid_t pid;		 /* of the process that looks after the program */
	struct hd_errbuf *error; /* shared with that process: why it could not start it */
	uint32_t asked;
	int files;    /* journal of what executions change in files; 0: none */
	double limit; /* seconds that an execution may take */
	uint32_t max_nodes;
	size_t nlessons; /* that the program was told */
	struct hd_watched watched;
	int known_fd;		   /* memory with known states (struct hd_xknown); 0: none */
	bool (*interrupted)(void); /* NULL: by nobody */
	volatile bool cancelled;   /* give up the execution that is running */
	/* Where standard output and error go, and what was there after the last execution; if outcomes are wanted. */
	int text_fd[2];
	struct hd_xtext text[2];
};

/* Start @argv, told @run. Its input is @in. Its output goes nowhere, or with output_points into the log. */
enum hd_err hd_executor_start(struct hd_executor *e, char **argv, const struct hd_run_config *run,
			      int in);
void hd_executor_stop(struct hd_executor *e);

/* Memory of @size bytes to share with programs, and in *@fd its descriptor; NULL: none. */
void *hd_share_memory(const char *name, size_t size, int *fd);

/* What the explorer knows about loops that wait: what struct hd_xlog has learnt, in the order of the requests. */
struct hd_lessons {
	const uint64_t *list; /* only ever grows */
	size_t n;
};

/* As hd_xrun_fn, without the first argument's type. What comes out depends on @known besides. */
enum hd_err hd_executor_run(struct hd_executor *e, const struct hd_xrequest *request,
			    const struct hd_lessons *known, struct hd_xlog *log,
			    struct hd_errbuf *eb);

#endif
