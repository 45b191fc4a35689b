/*
 * A small machine that executes straight-line threads as an explorer asks: what the runtime
 * does to real programs, without the program.
 */
#ifndef MODEL_H
#define MODEL_H

#include "explore/explorer.h"

#define MODEL_THREADS 5
#define MODEL_OPS     8
#define MODEL_OBJECTS 4

enum model_kind {
	M_READ,	   /* into the thread's sum */
	M_WRITE,   /* a value made of the thread's sum */
	M_ADD,	   /* read and write at once */
	M_SKIP_IF, /* read; if it is odd, skip the next operation */
	M_LOCK,
	M_UNLOCK,
	M_TRY, /* a lock that may fail; the next operation is skipped then */
	M_RDLOCK,
	M_RDUNLOCK,
	M_POST,
	M_DOWN, /* waits until there is something */
	M_TAKE, /* the same, and does not begin before */
	M_FORK,
	M_JOIN,
};

struct model_op {
	enum model_kind kind;
	unsigned object;
};

struct model {
	unsigned nthreads;
	unsigned nops[MODEL_THREADS];
	struct model_op ops[MODEL_THREADS][MODEL_OPS];
	bool forked_at_start[MODEL_THREADS]; /* else somebody forks it */
	unsigned posted[MODEL_OBJECTS];	     /* before the beginning */
	/*
	 * Several threads that do the same: equal[t] is the first of those that thread t is like, from 1; 0: none. Each is
	 * chosen once before its first operation, as in programs. What they end with says nothing of who is who.
	 */
	unsigned equal[MODEL_THREADS];
	bool alike, by_names; /* there are some; they are told apart all the same */

	/* Working state of the last execution. */
	uint64_t final; /* what the variables and threads ended with */
	bool deadlock;
	struct hd_xnode nodes[256];
	struct hd_xop done[256];
	uint32_t threads[1024];
};

/* As hd_xrun_fn: @arg is a struct model. */
enum hd_err model_run(void *arg, const struct hd_xrequest *request, struct hd_xlog *log,
		      struct hd_errbuf *eb);

#endif
