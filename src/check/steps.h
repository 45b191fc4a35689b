/*
 * The steps of heddle check, in their order.
 *
 *   observe.c    runs to learn from: observations, and what is normal
 *   choose.c     candidates, those likely to fail first
 *   deal_out.c   those of one part, if others do the rest
 *   goals.c      goals of the user, in place of candidates
 *   sweep.c      their predictions, the runs that try them, verdicts
 *   cover.c      candidates that came about in a run that tried another one
 *   torn_output.c whether only unusual output is a failure, as an operation was torn apart
 *   causes.c     which of the confirmed candidates break the program
 *   reasons.c    which order is the reason that some ordinary runs fail
 *   exchange.c   critical sections in another order, wake-ups before the wait
 *   last_search.c a short exploration, where nothing was found
 *   remedy.c     critical sections with which a finding does not come about
 *   end_notes.c  what the report says about the end
 */
#ifndef HD_CHECK_STEPS_H
#define HD_CHECK_STEPS_H

#include "campaign/campaign.h"

enum hd_err hd_check_observe(struct hd_campaign *c);
/* Start from the run in @path, whose schedule is @s, instead of observing one. */
enum hd_err hd_check_from_trace(struct hd_campaign *c, const struct hd_schedule *s,
				const char *path);
enum hd_err hd_check_normal(struct hd_campaign *c);
enum hd_err hd_check_candidates(struct hd_campaign *c);
/* What it is a part of, if it is one; the program's input is known. */
void hd_check_begin_part(struct hd_campaign *c);
/* Of the candidates only those of this part stay, if it is one. */
void hd_check_deal_out(struct hd_campaign *c);
/* Of things that are the same in all parts: is number @i one of this part's? */
bool hd_check_is_ours(const struct hd_campaign *c, size_t i);
/* Read the goals, if there are any; @recorded: numbers of events mean something. */
enum hd_err hd_check_load_goals(struct hd_campaign *c, bool recorded);
/* In place of candidates: the goals are attempts, predicted and planned. */
enum hd_err hd_check_goals(struct hd_campaign *c);
bool hd_attempt_is_goal(const struct hd_attempt *a);
/* Run @t tried a goal: does it show it? */
enum hd_err hd_check_goal_seen(struct hd_attempt *a, struct hd_trial *t, bool *seen);
/* Sentences on those that were not reached. */
void hd_check_note_goals(struct hd_campaign *c);
/* What is predicted becomes a plan, if there is a schedule. */
enum hd_err hd_check_plan(struct hd_attempt *a, struct hd_errbuf *eb);
enum hd_err hd_check_sweep(struct hd_campaign *c);
/*
 * Run @t did not fail. Patterns that came about in it, although another candidate was tried, need no run
 * of their own to show that they can: they are marked as covered.
 */
enum hd_err hd_check_cover(struct hd_campaign *c, struct hd_trial *t);
/*
 * The failing run of @a, a pattern: may its reason be another candidate, and is it one that was
 * confirmed and that the run shows as well?
 */
bool hd_check_may_be_companion(const struct hd_attempt *a);
bool hd_check_is_companion(const struct hd_campaign *c, const struct hd_attempt *a);
/* Failures that some ordinary runs have shown, and not all orderly ones: look for the pattern that is the reason. */
enum hd_err hd_check_explain(struct hd_campaign *c);
/*
 * The order that @a is of is a reason that its run fails. If a thread fails that has no part in it, and one on its own
 * accesses is a reason as well, that is told.
 */
enum hd_err hd_check_nearer_cause(struct hd_campaign *c, struct hd_attempt *a);
/* Once all findings are in the report: if there are none so far, try other orders of whole sections. */
enum hd_err hd_check_exchange(struct hd_campaign *c);
/*
 * Runs fail as @failure says, and the first observed one does not: because a section, or an atomic operation, comes
 * before another one? Then *@w, which is empty, is a run that shows it, and @reason has that order.
 */
enum hd_err hd_check_explain_by_order(struct hd_campaign *c, const struct hd_failure *failure,
				      double until, struct hd_witness *w,
				      struct hd_candidates *reason);
/* Then, if there are still none: look for schedules that fail by exploring. */
enum hd_err hd_check_search(struct hd_campaign *c);
/* For what fails: look for critical sections, or an order of locks, with which it does not. */
enum hd_err hd_check_remedies(struct hd_campaign *c);
/* Times that unusual output may turn out to be no failure; finding out takes hundreds of runs each time. */
#define HD_ODD_IN_VAIN 4u

enum hd_tear {
	HD_TEAR_NONE,	   /* the program may well mean what it does there */
	HD_TEAR_OPERATION, /* what it is about to do rests on what is no longer so */
	HD_TEAR_RACES,	   /* nothing keeps the accesses apart: the race is the reason */
};

/* What are the accesses of @found, a pattern, in the run @t, of which only the output is unusual? */
enum hd_err hd_check_tear(const struct hd_campaign *c, const struct hd_trial *t,
			  const struct hd_found *found, enum hd_tear *tear);

/*
 * Is there a lock that, held from the first to the last of these accesses, prevents that @w fails so, as far as there is time
 * to see? If only the output of @w is unusual, what the program writes in these runs is normal from then on.
 */
enum hd_err hd_check_prevented(struct hd_campaign *c, struct hd_witness *w,
			       const struct hd_found *wanted, bool *prevented);
/*
 * Notes on what was not tried, and on what was not looked for and may be there, with the command
 * that looks for it. The first run has all findings by now.
 */
void hd_check_end_notes(struct hd_campaign *c);

#endif
