/*
 * What prediction works through: everything that the analyses hold to be possible, the likely
 * harmful first, each with its goal.
 */
#ifndef HD_FINDINGS_CANDIDATES_H
#define HD_FINDINGS_CANDIDATES_H

#include "common/err.h"
#include "analyses.h"
#include "predict/predict.h"
#include "report/named.h"
#include "report/run_model.h"

struct hd_candidate {
	struct hd_found found; /* a copy of its own: kind, accesses, locks */
	struct hd_goal goal;   /* of prediction */
	/* Of parts of the work that one thread did here and several could: no order of its events shows
	   it, and it is certain all the same. There is no goal. */
	bool one_thread;
	bool declared; /* it tears a block or a group that was declared: certain when feasible */
	int score;     /* the higher, the likelier it is to do harm */
	size_t unit;   /* that somebody asked for (units.h), from 1; 0: an analysis found it */
};

struct hd_candidates {
	struct hd_candidate *list; /* by score, then in the order of the run */
	size_t n, room;
};

/* What becomes of what is certain already, races by happens-before and torn blocks? */
enum hd_certain {
	HD_CERTAIN_IS_TRIED, /* a candidate too, for a schedule that shows it */
	HD_CERTAIN_IS_TOLD,  /* a finding of the run */
};

/*
 * Run the analyses over @trace and keep what they find: three-access patterns, races and cycles of
 * locks, each set of sites once. @run is filled in as by hd_run_read(), and gets findings of analyses
 * only if that is what @certain says.
 */
enum hd_err hd_candidates_collect(struct hd_candidates *out, struct hd_analyses *a,
				  struct hd_run *run, struct hd_trace *trace,
				  enum hd_certain certain, struct hd_errbuf *eb);
void hd_candidates_free(struct hd_candidates *c);
/* Leave out those about other data than was named. */
void hd_candidates_keep_named(struct hd_candidates *c, const struct hd_named *named,
			      const struct hd_run *run);
/* One more, of unit @unit; what cannot be asked for is left out. False: no memory. */
bool hd_candidates_add_unit(struct hd_candidates *c, const struct hd_found *found, size_t unit);

/* One more: a goal of the user, as @goal. False: no memory. */
bool hd_candidates_add_goal(struct hd_candidates *c, const struct hd_found *found,
			    const struct hd_goal *goal);

/* "RWW", "race", "deadlock": the word of the pattern list. */
const char *hd_candidate_word(const struct hd_candidate *c);

/*
 * Is a precise schedule for it a finding? A race, a deadlock, a torn block or group that
 * was declared; else a pattern that nobody declared atomic is only a note.
 */
bool hd_candidate_counts(const struct hd_candidate *c);

#endif
