#include "search.h"

#include <stdlib.h>

#include "memo.h"

/* A thread that may go on from a state, and how far the goal is then. */
struct choice {
	uint64_t left;
	uint32_t thread, step;
};

/* A state on the way from the start: its choices from @next on are still to be tried. */
struct level {
	size_t ndone, next, end;
};

struct search {
	struct hd_progress *s;
	struct hd_closure *c;
	const struct hd_budget *budget;
	struct hd_memo memo;
	struct choice *choices;
	size_t nchoices, choices_room;
	struct level *levels;
	size_t nlevels, levels_room;
	uint64_t states;
	const char *why; /* the budget that ran out */
};

static bool grow(void *array, size_t *room, size_t n, size_t size)
{
	void **at = array, *more;
	size_t want = *room ? 2 * *room : 64;

	if (n < *room)
		return true;
	more = realloc(*at, want * size);
	if (!more)
		return false;
	*at = more;
	*room = want;
	return true;
}

static int nearer_first(const void *a, const void *b)
{
	const struct choice *x = a, *y = b;

	if (x->left != y->left)
		return x->left < y->left ? -1 : 1;
	return x->step < y->step ? -1 : x->step > y->step;
}

static bool within_budget(struct search *se)
{
	if (++se->states > se->budget->states)
		se->why = "states";
	else if (hd_seconds() > se->budget->deadline)
		se->why = "time";
	return !se->why;
}

/* Try what @thread can do from here, and keep it as a choice if it may lead to the goal. */
static enum hd_err look_ahead(struct search *se, uint32_t thread)
{
	struct hd_progress *s = se->s;
	struct choice ch = { .thread = thread };
	enum hd_memo_answer known;

	ch.step = hd_operation(s->p, thread, s->at[thread])->step;
	if (!hd_do(s, thread) || !hd_do_harmless(s))
		return HD_ERR_NOMEM;
	if (hd_goal_reached(s) || !within_budget(se))
		return HD_OK;
	known = hd_memo_add(&se->memo, s);
	if (known == HD_MEMO_FULL)
		se->why = "memory";
	if (known != HD_MEMO_NEW || !hd_closure_run(se->c))
		return HD_OK;
	ch.left = hd_closure_left(se->c);
	if (!grow(&se->choices, &se->choices_room, se->nchoices, sizeof(ch)))
		return HD_ERR_NOMEM;
	se->choices[se->nchoices++] = ch;
	return HD_OK;
}

/* Open a level for where we are. Ends early when the goal is reached or a budget ran out. */
static enum hd_err open_level(struct search *se)
{
	struct hd_progress *s = se->s;
	struct level l = { .ndone = s->ndone, .next = se->nchoices };

	for (uint32_t t = 0; t < s->p->nthreads; t++) {
		enum hd_err err = hd_enabled(s, t) ? look_ahead(se, t) : HD_OK;

		if (err || hd_goal_reached(s) || se->why)
			return err;
		hd_undo_to(s, l.ndone);
	}
	l.end = se->nchoices;
	if (l.end > l.next)
		qsort(se->choices + l.next, l.end - l.next, sizeof(*se->choices), nearer_first);
	if (!grow(&se->levels, &se->levels_room, se->nlevels, sizeof(l)))
		return HD_ERR_NOMEM;
	se->levels[se->nlevels++] = l;
	return HD_OK;
}

static enum hd_err descend(struct search *se)
{
	enum hd_err err = open_level(se);

	while (!err && !hd_goal_reached(se->s) && !se->why && se->nlevels) {
		struct level *l = &se->levels[se->nlevels - 1];

		hd_undo_to(se->s, l->ndone);
		if (l->next == l->end) {
			se->nlevels--;
			se->nchoices = se->nlevels ? se->levels[se->nlevels - 1].end : 0;
			continue;
		}
		if (!hd_do(se->s, se->choices[l->next++].thread) || !hd_do_harmless(se->s))
			return HD_ERR_NOMEM;
		err = open_level(se);
	}
	return err;
}

enum hd_err hd_search(struct hd_progress *s, struct hd_closure *c, const struct hd_budget *budget,
		      enum hd_answer *answer, const char **why, uint64_t *states)
{
	struct search se = { .s = s, .c = c, .budget = budget };
	enum hd_err err = hd_memo_init(&se.memo, s->p, budget->bytes);

	if (err)
		return err;
	if (!hd_do_harmless(s))
		err = HD_ERR_NOMEM;
	if (!err && !hd_goal_reached(s))
		err = descend(&se);
	*answer = hd_goal_reached(s) ? HD_FEASIBLE : se.why ? HD_UNDECIDED : HD_INFEASIBLE;
	*why = se.why;
	*states = se.states;
	hd_memo_free(&se.memo);
	free(se.choices);
	free(se.levels);
	return err;
}
