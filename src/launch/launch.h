/*
 * Start a program under the runtime, collect its trace, wait for its end.
 */
#ifndef HD_LAUNCH_LAUNCH_H
#define HD_LAUNCH_LAUNCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/err.h"
#include "common/budget.h"
#include "children.h"
#include "collector.h"
#include "trace/plan_entry.h"
#include "trace/segment.h"
#include "trace/run_config_text.h"
#include "trace/trace_writer.h"

/* In place of heddle's own: for runs whose output is to be looked at. */
struct hd_redirect {
	int in, out, err; /* what the program gets as standard input, output and error */
	int trace;	  /* file that the trace goes to */
};

struct hd_launch {
	char **argv;			 /* the program and its arguments, NULL at the end */
	const struct hd_run_config *run; /* what it is told, and what its trace keeps of that */
	enum hd_policy_word
		follow; /* REPLAY, PLAN, SEGMENTS, EXPLORE: in place of the policy; else RANDOM */
	const char *preload;	 /* a library in place of libheddle.so; NULL: none */
	const char *record;	 /* file for the trace; NULL: a nameless one */
	bool whole;		 /* record everything in a nameless trace, too */
	const uint32_t *choices; /* schedule to follow; NULL: none */
	size_t nchoices;
	const struct hd_redirect *redirect; /* NULL: the program gets what heddle has */
	const struct hd_plan_entry *plan;   /* with PLAN: what to follow; NULL: none */
	size_t nplan;
	const struct hd_segment *segments; /* with SEGMENTS; NULL: none */
	size_t nsegments;
	bool unbounded; /* somebody else sees to it that it ends */
};

struct hd_outcome {
	int trace_fd;  /* the trace, for reading; -1: none */
	int digest_fd; /* what of it a report needs; -1: the trace itself is no more than that */
	struct hd_collected counts;
	bool attached;		      /* the runtime was there */
	bool refused;		      /* the program uses OpenMP, on worker threads */
	bool random_addresses;	      /* address randomisation could not be switched off */
	struct hd_errbuf write_error; /* why the trace is incomplete; code HD_OK: it is not */
	enum hd_stop stopped;	      /* why the program was ended before it ended by itself */
	double seconds;
	bool interrupted;	       /* it was ended by a signal that was sent to heddle */
	struct hd_child_list children; /* to be freed */
};

/* Is there such a program? */
enum hd_err hd_find_program(const char *name);

/* The file that would be run; the caller's to free. NULL: there is none. */
char *hd_program_path(const char *name);

/*
 * A place for the trace: @record, or a nameless file if that is NULL. *@write is
 * for the writer, *@read for reading it back.
 */
enum hd_err hd_open_trace_file(const char *record, int *write, int *read);

/*
 * Run to the end, or until the command's budget is over: then the program is ended, and what it did
 * until then is in the trace. HD_OK if the program was started and has ended, in
 * whatever way.
 */
enum hd_err hd_launch(const struct hd_launch *l, struct hd_outcome *o);

/*
 * Become @debugger (words, NULL at the end), in which the program can be started again and again,
 * with everything that it needs to follow its schedule but without a trace. @guide is for the
 * debugger's script, which finds it as the file descriptor that HEDDLE_GUIDE_FD names. Returns
 * only to say why not.
 */
enum hd_err hd_launch_debugger(const struct hd_launch *l, char **debugger, const char *guide);

#endif
