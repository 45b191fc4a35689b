#include "greedy.h"

enum eagerness {
	NEEDED_ONLY,
	NEEDED_FIRST,
	AS_OBSERVED,
	EAGERNESS_LIMIT
};

/* Has all happened that must come before the thread's next operation? */
static bool in_time(const struct hd_progress *s, const struct hd_closure *c, uint32_t t)
{
	size_t n = s->p->nthreads;
	const uint32_t *clock;

	if (s->at[t] >= c->known[t])
		return true;
	clock = c->clocks[t] + (s->at[t] - c->base[t]) * n;
	for (uint32_t u = 0; u < n; u++)
		if (u != t && clock[u] > s->at[u])
			return false;
	return true;
}

/* Less is sooner; UINT64_MAX: not at all. */
static uint64_t urgency(const struct hd_progress *s, const struct hd_closure *c, uint32_t t,
			enum eagerness how)
{
	uint64_t key = hd_operation(s->p, t, s->at[t])->step;
	bool needed = s->at[t] < c->need[t];

	/* A thread that stops here must not be needed further on. */
	if (hd_stops(s, t) && c->need[t] > s->at[t] + 1)
		return UINT64_MAX;
	if (!needed && how == NEEDED_ONLY)
		return UINT64_MAX;
	if (!in_time(s, c, t))
		key |= 1ull << 40;
	if (!needed && how == NEEDED_FIRST)
		key |= 1ull << 41;
	return key;
}

static enum hd_err attempt(struct hd_progress *s, const struct hd_closure *c, enum eagerness how)
{
	for (;;) {
		uint64_t best = UINT64_MAX;
		uint32_t thread = 0;

		if (!hd_do_harmless(s))
			return HD_ERR_NOMEM;
		if (hd_goal_reached(s))
			return HD_OK;
		for (uint32_t t = 0; t < s->p->nthreads; t++) {
			uint64_t key = hd_enabled(s, t) ? urgency(s, c, t, how) : UINT64_MAX;

			if (key < best) {
				best = key;
				thread = t;
			}
		}
		if (best == UINT64_MAX)
			return HD_OK;
		if (!hd_do(s, thread))
			return HD_ERR_NOMEM;
	}
}

enum hd_err hd_greedy(struct hd_progress *s, const struct hd_closure *c, bool *found)
{
	size_t start = s->ndone;

	*found = false;
	for (int how = NEEDED_ONLY; how < EAGERNESS_LIMIT; how++) {
		enum hd_err err = attempt(s, c, (enum eagerness)how);

		*found = !err && hd_goal_reached(s);
		if (err || *found)
			return err;
		hd_undo_to(s, start);
	}
	return HD_OK;
}
