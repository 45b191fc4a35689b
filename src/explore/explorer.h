/*
 * Go through the executions of a program, each a sequence of decisions, until all that
 * matter were seen or a budget ends.
 *
 * Strategies:
 * - dpor: wake-up trees with sleep sets (Abdulla, Aronis, Jonsson, Sagonas: JACM 2017). One execution
 *   for every order of conflicting operations, and none is begun that sleep sets would stop. That
 *   holds as long as nobody waits but for locks, semaphores and the ends of threads, and nobody for ever. With the first
 *   execution that shows something else it begins anew with source sets (POPL 2014), which
 *   suffice for whatever threads do, but begin some executions in vain.
 * - naive: every choice at every decision.
 * - bounded: every choice, as long as no more than so many of them preempt a thread that could
 *   go on (CHESS).
 * - random: independent executions with random choices; never complete.
 * - pct: independent executions by random priorities, which change at few random decisions: a
 *   bug that needs d orders between steps is found with a known probability (see stats).
 * - conflicts: preemptions where threads meet, the fewest first (conflicts.h); never complete.
 *
 * With naive and bounded, states that were seen before end an execution (match), if the
 * executor gives hashes of states. That is sound there, because all choices are tried
 * wherever a state is first met; with a bound, only if it was met with no fewer
 * preemptions left. dpor decides what to try in a state by what happened before it, so it does
 * not match.
 */
#ifndef HD_EXPLORE_EXPLORER_H
#define HD_EXPLORE_EXPLORER_H

#include "common/err.h"
#include "trace/execution_shared.h"
#include "trace/execution.h"
#include "conflicts.h"
#include "tree.h"

enum hd_xstrategy { HD_X_DPOR, HD_X_NAIVE, HD_X_BOUNDED, HD_X_RANDOM, HD_X_PCT, HD_X_CONFLICTS };

/*
 * Requests that will probably come next, the likely first; all others that were told of before
 * will not come. NULL: a new exploration begins, and nothing known still holds.
 */
typedef void hd_xahead_fn(void *arg, const struct hd_xasked *likely, size_t n);

struct hd_xposition;

struct hd_xoptions {
	enum hd_xstrategy strategy;
	uint32_t preemptions;	 /* bounded */
	uint64_t max_executions; /* in this call; 0: no limit */
	double max_seconds;	 /* 0: no limit */
	uint64_t seed;		 /* random, pct */
	uint32_t pct_depth;	 /* pct: number of changes of priorities plus one */
	uint64_t pct_length;	 /* pct: decisions in an execution; 0: as many as were seen */
	struct hd_xconflicts *conflicts; /* conflicts: where it stands, zeroed at the beginning */
	bool match;
	bool exact;    /* match: states are compared in full */
	bool together; /* dpor: operations may be one step; not in parts of a search */
	/* For executors that can do more than one thing after the other: */
	struct hd_xknown *known; /* match: the states that were met; NULL: nobody looks */
	hd_xahead_fn *ahead;	 /* NULL: nobody listens */
	size_t nahead;		 /* so many requests */
	/*
	 * Not NULL: where to go on, or NULL to begin; at the end, where it stands, or NULL if it is
	 * complete, and no part of a search (split.h). An exploration in parts gives the same as a whole one.
	 */
	struct hd_xposition **position;
};

/*
 * All but `complete` and `stopped` add up over the parts of an exploration.
 */
struct hd_xstats {
	uint64_t executions; /* all of them; of these: */
	uint64_t
		redundant; /* stopped because the rest was tried elsewhere, or done again: see dpor */
	uint64_t matched; /* stopped in a state that was seen before */
	uint64_t
		cut; /* stopped at the bound on decisions, or because they were too long to follow: */
	uint64_t
		assumed; /* to their end, in which something that the program assumes does not hold */
	uint64_t too_long;   /* operations of the longest such one; 0: there was none */
	uint64_t states;     /* distinct ones where states are matched, else decisions */
	uint64_t collisions; /* exact: states that only had the hash of another one */
	uint64_t transitions;
	uint64_t depth; /* most decisions in one execution */
	double part;	/* of everything, by an estimate; 0: there is none */
	bool complete;	/* everything was tried: with no `cut`, a proof */
	/*
	 * pct: the most threads and decisions of an execution, and the executions whose changes
	 * were spread among so many.
	 */
	uint64_t pct_threads, pct_length, pct_executions;
	const char *stopped; /* which budget ended it, else NULL */
};

/*
 * Execute: what comes out depends on the request alone, but for known states, in which it may stop or
 * not. On HD_OK the log is valid until the next call.
 */
typedef enum hd_err hd_xrun_fn(void *arg, const struct hd_xrequest *request, struct hd_xlog *log,
			       struct hd_errbuf *eb);
/*
 * An execution is over; false: stop exploring. The log ends where a state was met that is known:
 * what comes after such a state is told of, or was, when it is met for the first time. (That goes for
 * races, too, though they are between an access before and one after: some execution has the two steps
 * one after the other, and however it came there, the first of these threads has let nobody go on since.)
 */
typedef bool hd_xseen_fn(void *arg, const struct hd_xlog *log, const struct hd_xstats *stats);

enum hd_err hd_explore(const struct hd_xoptions *options, hd_xrun_fn *run, hd_xseen_fn *seen,
		       void *arg, struct hd_xstats *stats, struct hd_errbuf *eb);

#endif
