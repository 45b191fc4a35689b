/*
 * Three-access patterns: e1 and e2 of one thread, meant as one, and an access f of another that
 * locks and the order of forks and joins allow between them. In letters e1 f e2:
 *
 *   RWR RWW WWR WWW WRW
 *
 * The list that prediction works through. An access that reads and writes at once counts as
 * a write.
 *
 * "Allow" is: at some point at or after e1 and before e2 the first thread can stand while the
 * other one is at f (acquisition.h). Whether it can go on to e2 afterwards is not asked: where
 * it cannot, tearing the pair apart ends in a deadlock. Values are not looked at.
 *
 * Which pairs: in a declared block (BEGIN .. END, the outermost) the first access of each site
 * with each later one. In other code every access with the thread's one before it to the same
 * bytes, and every write with the write before it. That is enough: if f fits between two
 * accesses it fits between two neighbours, and with f a write any two make a pattern,
 * with f a read two writes do.
 */
#ifndef HD_ANALYSIS_PATTERNS_H
#define HD_ANALYSIS_PATTERNS_H

#include "common/err.h"
#include "trace/found.h"

/* Bytes that belong to a group of locations. */
struct hd_group_range {
	uint64_t addr, len;
	uint32_t group;
};

enum hd_patterns_blocks {
	HD_BLOCKS_AUTO,	    /* declared blocks if the run has any, else as in HD_BLOCKS_ALL */
	HD_BLOCKS_DECLARED, /* only declared blocks */
	HD_BLOCKS_ALL,	    /* declared blocks, and all other code */
};

struct hd_patterns_options {
	enum hd_patterns_blocks blocks;
	bool leave_out_atomics; /* atomic operations are no accesses */
	/*
	 * Tell of several for the same three places: for different callers, and where the third
	 * access came before, between and after the other two. Of these one may be feasible, or do
	 * harm, and another may not.
	 */
	bool several;
	const struct hd_group_range *groups; /* known before the run; those of events are added */
	size_t ngroups;
};

struct hd_patterns;

/* @options may be NULL; it is copied. @fn is called by hd_patterns_finish(). NULL: no memory. */
struct hd_patterns *hd_patterns_new(const struct hd_patterns_options *options, hd_found_fn *fn,
				    void *arg);
void hd_patterns_free(struct hd_patterns *p);

/*
 * Optional first pass over the same run: learn what threads share (sharing.h), so that the
 * second pass spends nothing on the rest. Give it all events, then start over.
 */
enum hd_err hd_patterns_learn(struct hd_patterns *p, const struct hd_event *events, size_t n);

/*
 * The next events; @first is the index of the first of them in the trace.
 *
 * Cost: some table look-ups per access and 8 bytes; memory follows variables x sites x
 * lock histories, not events.
 */
enum hd_err hd_patterns_feed(struct hd_patterns *p, const struct hd_event *events, size_t n,
			     uint64_t first);

/* Bytes that belong to a group from now on (memory that was just allocated). */
enum hd_err hd_patterns_add_group(struct hd_patterns *p, const struct hd_group_range *range);

/* Tell of every pattern, in the order of first events. */
enum hd_err hd_patterns_finish(struct hd_patterns *p);

#endif
