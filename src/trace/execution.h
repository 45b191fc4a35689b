/*
 * What an execution tells the explorer, decision by decision: the vocabulary between the
 * explorer and whoever executes (the runtime inside the program, or a model in a test).
 *
 * An execution is a sequence of decisions. A decision chooses one of several threads; then
 * operations happen until the next decision. Where only one thread can run there is no
 * decision, so operations of several threads may follow one.
 */
#ifndef HD_TRACE_EXECUTION_H
#define HD_TRACE_EXECUTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/hash.h"
#include "dependence.h"

enum hd_xwhy {
	HD_X_RUN,  /* who runs next */
	HD_X_PICK, /* a choice of another kind (whom a notification reaches): all are tried */
};

struct hd_xnode {
	uint32_t first_enabled, nenabled; /* in the log's threads; sorted by number */
	uint32_t chosen;		  /* thread number */
	uint32_t current;		  /* the thread that could have gone on; 0: none */
	uint32_t first_op, nops;	  /* what happened after it */
	uint32_t first_choice;		  /* in the log's choices */
	uint32_t why;			  /* enum hd_xwhy */
	uint32_t uses;			  /* enum hd_xuse, up to here */
	uint64_t state; /* hash of the state that the decision was made in; 0: unknown */
	uint32_t first_exact, nexact; /* the state in full, in the log's exact; 0: not asked for */
};

enum hd_xend {
	HD_X_END_DONE,	    /* the program ended */
	HD_X_END_REDUNDANT, /* stopped: all that could run was asleep */
	HD_X_END_MATCHED,   /* stopped: in a state that was seen before */
	HD_X_END_BOUND,	    /* stopped: too many decisions */
	HD_X_END_PROBED,    /* made only to see what executions need: ask again */
	HD_X_END_DIVERGED,  /* the prefix could not be followed: the program is not deterministic */
	HD_X_END_LOST,	    /* the executor died, or states were too large for the log */
	HD_X_END_FULL,	    /* stopped: the log has no room for more */
};

/* A fault that an execution met. */
struct hd_xfault {
	uint32_t kind; /* enum hd_kind */
	uint32_t thread;
	uint32_t after;	    /* so many decisions */
	uint64_t site;	    /* identifies it: faults of one kind and site are one */
	uint64_t places[2]; /* of a race or a conflict of regions: the instructions; else 0 */
};

#define HD_X_FAULTS 64
#define HD_X_LEARNT 1024

/* What a program has that says how to explore it. */
enum hd_xuse {
	HD_X_USES_ISOLATED = 1,
	HD_X_USES_REGIONS = 2,
	HD_X_USES_PEEKS = 4, /* it looks how far others are without waiting for them */
	HD_X_USES_TASKS = 8,
	HD_X_USES_PATIENCE = 16,  /* it waits in loops that were not followed to their end */
	HD_X_USES_FILES = 32,	  /* it changes files, which are there only once */
	HD_X_USES_OUTSIDE = 64,	  /* it reads what another process may have written */
	HD_X_USES_UNHOOKED = 128, /* code without hooks was given shared memory */
	HD_X_USES_ASKS =
		512, /* it asks whether a thread has ended, which is no operation of that one */
	HD_X_USES_SETTLED =
		1024, /* the memory model has forgotten writes that could still be read */
	HD_X_USES_WEAK =
		2048, /* atomic operations that C11 allows more for than one order of all */
	HD_X_USES_TIMERS = 256,	  /* timers expire: not tried at every moment */
	HD_X_USES_SIGNALS = 8192, /* not all that signals may do was tried */
	HD_X_USES_MIXED = 16384,  /* atomic operations that the memory model does not have */
	HD_X_USES_CANCEL = 32768, /* it cancels threads: not tried at every moment */
	HD_X_USES_STATES =
		65536, /* threads share what is not an operation: streams, folder, locale */
	HD_X_USES_OLDER = 131072,  /* it goes round loops with several older values */
	HD_X_USES_ROUNDS = 262144, /* loops that wait with several looks: threads stop in them */
	HD_X_USES_BUFFERED =
		524288, /* stores that others may see late on x86: atomic or volatile ones without a locked instruction */
	HD_X_USES_TWICE = 1048576, /* memory that is mapped at several addresses */
	HD_X_USES_ADDS = 2097152,  /* additions whose order was not told apart */
	HD_X_USES_FENCES = 4194304,
	HD_X_USES_EQUAL = 8388608,	 /* threads that nobody can tell apart when they begin */
	HD_X_USES_TOLD_APART = 16777216, /* ... but somebody has */
	HD_X_USES_FAILS_ONCE =
		4096, /* compare-exchanges that may fail for no reason: more than once in a row was not tried */
};

struct hd_xlog {
	struct hd_xnode *nodes;
	size_t nnodes;
	struct hd_xop *ops; /* those before the first decision come first */
	size_t nops;
	size_t npending; /* the last so many: not done, but what threads wait to do when it ends */
	uint32_t *threads;
	const uint64_t *exact;
	enum hd_xend end;
	struct hd_xfault faults[HD_X_FAULTS];
	size_t nfaults;
	unsigned uses;	  /* enum hd_xuse */
	bool assumed;	  /* something that the program assumes did not hold: not of interest */
	uint64_t graph;	  /* a digest of the execution by the memory model; 0: none */
	uint64_t awaited; /* variables that loops wait for: a bit for each, by its hash */
	/* What it has taught about loops that wait, for those that are asked for later: struct hd_xwaits. */
	uint64_t learnt[HD_X_LEARNT];
	size_t nlearnt;
	int exited, code; /* as in struct hd_trace_end */
	/* What it came to, if that was asked for: variables, standard output and standard error. */
	const unsigned char *observed;
	size_t nobserved;
	struct hd_xtext {
		char *data;
		size_t len;
	} text[2];
	/* Decisions as a schedule has them: also those where all but one would only have to wait. */
	uint32_t *choices;
	size_t nchoices;
};

/* A thread that need not be run next: what it would do is tried elsewhere. */
struct hd_xsleeper {
	uint32_t thread;
	uint32_t first_op, nops; /* in the request's ops */
	/* It is awake, but what it reads has to be written by this operation or a later one; 0: it is asleep. */
	uint32_t since;
};

struct hd_xrequest {
	const uint32_t *prefix; /* threads to choose, then the default takes over */
	size_t nprefix;
	/* Asleep at the last decision of the prefix; whoever's operations meet a conflict wakes up. */
	const struct hd_xsleeper *sleepers;
	size_t nsleepers;
	const struct hd_xop *ops;
	bool by_graph; /* operations that the memory model has are told as such */
	/* After the prefix: who makes the steps that follow, as long as they can; then the default. */
	const uint32_t *wakeup;
	size_t nwakeup;
	uint64_t random; /* after the prefix choose at random from this seed; 0: the default */
	/* With random: by random priorities, changed so many times less one; 0: each choice anew. */
	uint32_t pct_depth;
	uint64_t pct_length; /* decisions among which the changes are spread */
	/* By default who is about to change one of these variables comes last; as in struct hd_xlog. */
	uint64_t awaited;
	bool rounds; /* who has made a round of a loop in vain stops there (runtime/explore/await.h) */
	bool together; /* a look and the change after it may be one step (runtime/explore/one_step.h) */
	bool match;   /* it may stop in a state that is known (execution_shared.h) */
	bool bounded; /* if it was met there with no more preemptions, by the same running thread */
	/* bounded: in the prefix, as the explorer counts them; what is known about loops may have changed since. */
	uint32_t preemptions;
};

/* A request, and what it points to. */
struct hd_xasked {
	struct hd_xrequest request;
	uint32_t *prefix, *wakeup;
	struct hd_xsleeper *sleepers;
	struct hd_xop *ops;
};

/* What stands for a state; with a bound it matters who was running, since going on costs nothing. */
static inline uint64_t hd_x_state_key(const struct hd_xnode *node, bool bounded)
{
	uint64_t who = hd_hash_number(node->current);

	return bounded ? (node->state ^ who ^ who >> 29) | 1 : node->state;
}

static inline bool hd_x_is_preemption(const struct hd_xnode *node)
{
	return node->why == HD_X_RUN && node->current && node->chosen != node->current;
}

/* The thread the default goes on with: the current one, else the lowest number. */
static inline uint32_t hd_x_default(const uint32_t *enabled, size_t n, uint32_t current)
{
	for (size_t i = 0; i < n; i++) {
		if (enabled[i] == current)
			return current;
	}
	return enabled[0];
}

#endif
