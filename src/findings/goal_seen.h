/*
 * A goal of the user in a run as it was recorded: does the run itself show it, and in which events?
 */
#ifndef HD_FINDINGS_GOAL_SEEN_H
#define HD_FINDINGS_GOAL_SEEN_H

#include "common/err.h"
#include "predict/goal_text.h"
#include "report/run_model.h"
#include "trace/found.h"

#define HD_GOAL_ACCESSES (2 * HD_GOAL_MAX)

/* One goal from its own text, which was accepted before; @line is for messages. */
enum hd_err hd_goal_again(struct hd_user_goals *out, const char *text, unsigned line,
			  struct hd_errbuf *eb);

/* Does it name events by numbers, which mean something in one recorded run only? */
bool hd_goal_is_numbered(const struct hd_user_goal *g);

/*
 * Are there events in @run, in the order in which they happened, that the goal @text means? Then *@seen,
 * and @out has them. What `next` and `#N` say is not seen: who was next leaves no event, and which one is
 * the second changes with the order.
 */
enum hd_err hd_goal_seen(const char *text, struct hd_run *run, struct hd_goal *out, bool *seen,
			 struct hd_errbuf *eb);

/* The events of @goal as accesses, HD_GOAL_ACCESSES at most. */
enum hd_err hd_goal_accesses(const struct hd_goal *goal, struct hd_run *run,
			     struct hd_found_access *out, size_t *n, struct hd_errbuf *eb);

#endif
