/*
 * What an exploration tries besides, when it has not come to its end soon: in turns, with a share that becomes
 * smaller, since only the search itself can prove anything.
 *
 *   conflicts  preemptions where threads meet, and at racing accesses (conflicts.h)
 *   bounded    all schedules with 0 preemptions, then 1, 2, ...
 *   pct        random priorities, with one change more each turn
 *
 * How much each does depends on numbers of executions alone, so that results can be had again.
 */
#ifndef HD_EXPLORE_PORTFOLIO_H
#define HD_EXPLORE_PORTFOLIO_H

#include "explorer.h"
#include "position.h"

enum hd_portfolio_member {
	HD_MEMBER_SEARCH,
	HD_MEMBER_CONFLICTS,
	HD_MEMBER_BOUNDED,
	HD_MEMBER_PCT,
	HD_MEMBERS
};

/* Who is at work, or was when a fault was found. */
struct hd_worker {
	enum hd_portfolio_member member;
	uint32_t number; /* of preemptions, or the depth of pct */
};

struct hd_portfolio {
	bool on;
	unsigned turn;
	struct hd_xconflicts conflicts;
	struct hd_xposition *bounded; /* NULL: with `bound` preemptions it has not begun */
	uint32_t bound;		      /* all with fewer were tried */
	bool bounds_hold;	      /* and each was followed to its end */
	uint64_t executions[HD_MEMBERS];
	struct hd_worker now;
};

struct hd_exploration;

/* After the first race, so many executions look for a failure behind it. */
uint64_t hd_portfolio_behind_race(const struct hd_exploration *x);

/* So many executions of the search come next, before it is the others' turn; 0: all. */
uint64_t hd_portfolio_share(const struct hd_exploration *x);

/*
 * The others' turn. *@left: executions that are left of the budget (0: there is none), *@stopped as in struct
 * hd_xstats if it ended here.
 */
enum hd_err hd_portfolio_turn(struct hd_exploration *x, uint64_t *left, double until,
			      const char **stopped, struct hd_errbuf *eb);

/* A new round: threads can be preempted elsewhere. */
void hd_portfolio_begin(struct hd_portfolio *p);
void hd_portfolio_free(struct hd_portfolio *p);

/* "dpor", "pct of depth 3", ... */
void hd_worker_words(const struct hd_exploration *x, const struct hd_worker *w, char *buf,
		     size_t len);
/* For the report: what was tried besides. */
void hd_portfolio_note(struct hd_exploration *x);

#endif
