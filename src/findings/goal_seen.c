#include "goal_seen.h"

#include <string.h>

#include "predict_match.h"

enum hd_err hd_goal_again(struct hd_user_goals *out, const char *text, unsigned line,
			  struct hd_errbuf *eb)
{
	enum hd_err err = hd_user_goals_parse(out, text, strlen(text), "--goal", eb);

	if (!err && out->n != 1) {
		hd_user_goals_free(out);
		return hd_fail(eb, HD_ERR_INVALID, "--goal, line %u: this is not one goal", line);
	}
	if (!err)
		out->list[0].line = line;
	return err;
}

bool hd_goal_is_numbered(const struct hd_user_goal *g)
{
	bool numbered = false;

	for (size_t i = 0; i < g->norder; i++)
		numbered |= g->order[i].numbered;
	for (size_t i = 0; i < g->nnext; i++)
		numbered |= g->next[i].numbered;
	return numbered;
}

/* Does it say by itself, in any run, what it means? */
static bool can_be_seen(const struct hd_user_goal *g)
{
	bool counted = false;

	for (size_t i = 0; i < g->norder; i++)
		counted |= g->order[i].nth || g->without[i].nth;
	return g->norder && !g->nnext && !counted && !hd_goal_is_numbered(g);
}

static bool is_in_order(const struct hd_goal *g)
{
	for (size_t i = 1; i < g->norder; i++) {
		if (g->order[i] <= g->order[i - 1])
			return false;
	}
	return g->norder > 0;
}

enum hd_err hd_goal_seen(const char *text, struct hd_run *run, struct hd_goal *out, bool *seen,
			 struct hd_errbuf *eb)
{
	struct hd_user_goals one;
	enum hd_err err = hd_goal_again(&one, text, 1, eb);

	*seen = false;
	if (err)
		return err;
	/* Without prediction the ways are made of the events themselves. */
	if (can_be_seen(&one.list[0]))
		err = hd_user_goals_resolve(&one, run, NULL, eb);
	for (size_t i = 0; i < one.list[0].ngoals && !err && !*seen; i++) {
		*seen = is_in_order(&one.list[0].goals[i]);
		*out = one.list[0].goals[i];
	}
	hd_user_goals_free(&one);
	return err == HD_ERR_NOT_FOUND || err == HD_ERR_INVALID ? HD_OK : err;
}

/* ---- its events ------------------------------------------------------------------------------ */

struct reading {
	struct hd_found_access *list;
	size_t n;
};

static enum hd_err look(void *arg, const struct hd_event *events, size_t n, uint64_t first)
{
	struct reading *r = arg;

	for (size_t i = 0; i < r->n; i++) {
		if (r->list[i].index >= first && r->list[i].index - first < n)
			r->list[i].event = events[r->list[i].index - first];
	}
	return HD_OK;
}

enum hd_err hd_goal_accesses(const struct hd_goal *goal, struct hd_run *run,
			     struct hd_found_access *out, size_t *n, struct hd_errbuf *eb)
{
	struct reading r = { .list = out };

	for (size_t i = 0; i < goal->norder; i++)
		out[r.n++] = (struct hd_found_access){ .role = "order", .index = goal->order[i] };
	for (size_t i = 0; i < goal->nnext; i++)
		out[r.n++] = (struct hd_found_access){ .role = "next", .index = goal->next[i] };
	*n = r.n;
	return r.n ? hd_run_each(run, look, &r, eb) : HD_OK;
}
