#include "predict_match.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/map.h"
#include "report/explain.h"

#define FITS_KEPT  16 /* of each description: half of them the first, half the last */
#define WAYS_TRIED 64 /* to pick one for each */
#define WAYS_MAX   65536

struct matching {
	struct hd_user_goals *goals;
	const struct hd_run *run;
	struct hd_map places; /* pc * terms + term -> 1 no, 2 yes */
	struct hd_map names;  /* address * terms + term -> the same */
	size_t nterms;
	uint64_t events;
};

/* "pool.c" and "src/pool.c" are both "/home/x/src/pool.c". */
static bool same_file(const char *path, const char *wanted)
{
	size_t n = strlen(path), m = strlen(wanted);

	return n >= m && !strcmp(path + n - m, wanted) &&
	       (n == m || path[n - m - 1] == '/' || *wanted == '/');
}

/* Any frame of the program at @pc may be meant, also of a function that was inlined there. */
static bool is_at(const struct hd_run *run, uint64_t pc, const struct hd_term *t)
{
	struct hd_stack stack;
	bool found = false;
	const char *file;
	uint32_t line;

	if (hd_trace_site(run->trace, pc, &file, &line))
		return line == t->line && same_file(file, t->file);
	if (!pc || hd_run_stack(run, pc, 0, &stack) != HD_OK)
		return false;
	for (size_t i = 0; i < stack.nframes; i++) {
		const struct hd_frame *f = &stack.frames[i];

		found |= f->file && f->line == t->line && same_file(f->file, t->file);
	}
	hd_stack_free(&stack);
	return found;
}

static bool is_named(const struct hd_run *run, const struct hd_event *ev, const struct hd_term *t)
{
	bool memory = hd_op_info[ev->op].addr == HD_U_LOC;
	char name[512];

	if (!ev->addr)
		return false;
	if (memory && hd_location_name(run, ev->addr, ev->size, name, sizeof(name)) &&
	    !strcmp(name, t->name))
		return true;
	return hd_object_name(run, ev->addr, name, sizeof(name)) && !strcmp(name, t->name);
}

/* Ask once for each place and each address. */
static enum hd_err fits(struct matching *m, const struct hd_event *ev, const struct hd_term *t,
			size_t number, bool *yes)
{
	uint64_t key, known;

	*yes = false;
	if ((t->thread && ev->thread + 1ull != t->thread) || (t->op && ev->op != t->op))
		return HD_OK;
	if (t->file) {
		key = ev->pc * m->nterms + number;
		known = hd_map_get(&m->places, key);
		if (!known) {
			known = is_at(m->run, ev->pc, t) ? 2 : 1;
			if (!hd_map_set(&m->places, key, known))
				return HD_ERR_NOMEM;
		}
		if (known == 1)
			return HD_OK;
	}
	if (t->name) {
		key = (ev->addr * 64 + (ev->size & 63)) * m->nterms + number;
		known = hd_map_get(&m->names, key);
		if (!known) {
			known = is_named(m->run, ev, t) ? 2 : 1;
			if (!hd_map_set(&m->names, key, known))
				return HD_ERR_NOMEM;
		}
		if (known == 1)
			return HD_OK;
	}
	*yes = true;
	return HD_OK;
}

static bool keep_fit(struct hd_term *t, uint64_t event)
{
	t->all_fits++;
	if (t->nth && t->all_fits != t->nth)
		return true;
	if (!t->fits)
		t->fits = calloc(FITS_KEPT, sizeof(*t->fits));
	if (!t->fits)
		return false;
	if (t->nfits == FITS_KEPT) { /* the second half holds the last ones */
		memmove(t->fits + FITS_KEPT / 2, t->fits + FITS_KEPT / 2 + 1,
			(FITS_KEPT / 2 - 1) * sizeof(*t->fits));
		t->nfits--;
	}
	t->fits[t->nfits++] = event;
	return true;
}

static struct hd_term *term_of(struct hd_user_goal *g, size_t i)
{
	return i < g->norder ? &g->order[i] : &g->next[i - g->norder];
}

static enum hd_err look(void *arg, const struct hd_event *events, size_t n, uint64_t first)
{
	struct matching *m = arg;

	for (size_t e = 0; e < n; e++) {
		size_t number = 0;

		for (size_t i = 0; i < m->goals->n; i++) {
			struct hd_user_goal *g = &m->goals->list[i];

			for (size_t k = 0; k < g->norder + g->nnext; k++, number++) {
				struct hd_term *t = term_of(g, k);
				bool yes = false;

				if (t->numbered)
					continue;
				if (fits(m, &events[e], t, number, &yes) ||
				    (yes && !keep_fit(t, first + e)))
					return HD_ERR_NOMEM;
			}
		}
	}
	m->events = first + n;
	return HD_OK;
}

/* ---- ways to pick one for each ---------------------------------------------------------- */

struct way {
	struct hd_goal goal;
	uint64_t span;
};

static int nearer(const void *a, const void *b)
{
	const struct way *x = a, *y = b;

	if (x->span != y->span)
		return x->span < y->span ? -1 : 1;
	return memcmp(&x->goal, &y->goal, sizeof(x->goal)); /* the same in every run */
}

static size_t choices(const struct hd_term *t)
{
	return t->numbered ? 1 : t->nfits;
}

static uint64_t pick(const struct hd_term *t, size_t i)
{
	return t->numbered ? t->number : t->fits[i];
}

/* The @n-th way; false: it names an event twice. */
static bool make_way(struct hd_user_goal *g, size_t n, struct way *w)
{
	uint64_t low = UINT64_MAX, high = 0, events[2 * HD_GOAL_MAX];

	memset(w, 0, sizeof(*w));
	w->goal.open_end = g->open_end;
	for (size_t i = 0; i < g->norder + g->nnext; i++) {
		const struct hd_term *t = term_of(g, i);
		uint64_t event = pick(t, n % choices(t));

		n /= choices(t);
		for (size_t k = 0; k < i; k++) {
			if (events[k] == event)
				return false;
		}
		events[i] = event;
		low = event < low ? event : low;
		high = event > high ? event : high;
		if (i < g->norder)
			w->goal.order[w->goal.norder++] = event;
		else
			w->goal.next[w->goal.nnext++] = event;
	}
	w->span = high - low;
	return true;
}

static enum hd_err nothing_fits(const struct hd_user_goal *g, const struct hd_term *t, size_t i,
				struct hd_errbuf *eb)
{
	if (t->nth && t->all_fits)
		return hd_fail(eb, HD_ERR_NOT_FOUND,
			       "--goal, line %u: event %zu of the goal is to be number %" PRIu64
			       " of those that fit, but there are only %" PRIu64,
			       g->line, i + 1, t->nth, t->all_fits);
	return hd_fail(eb, HD_ERR_NOT_FOUND,
		       "--goal, line %u: no event of the run fits event %zu of the goal", g->line,
		       i + 1);
}

static enum hd_err make_goals(struct hd_user_goal *g, struct hd_errbuf *eb)
{
	size_t all = 1, n = 0;
	struct way *ways;

	for (size_t i = 0; i < g->norder + g->nnext; i++) {
		struct hd_term *t = term_of(g, i);

		if (!choices(t))
			return nothing_fits(g, t, i, eb);
		g->more |= !t->numbered && !t->nth && t->all_fits > t->nfits;
		all *= choices(t);
		if (all > WAYS_MAX) {
			all = WAYS_MAX;
			g->more = true;
		}
	}
	ways = calloc(all, sizeof(*ways));
	g->goals = calloc(WAYS_TRIED, sizeof(*g->goals));
	if (!ways || !g->goals) {
		free(ways);
		return hd_fail(eb, HD_ERR_NOMEM, "out of memory for goals");
	}
	for (size_t i = 0; i < all; i++)
		n += make_way(g, i, &ways[n]);
	qsort(ways, n, sizeof(*ways), nearer);
	g->more |= n > WAYS_TRIED;
	for (size_t i = 0; i < n && i < WAYS_TRIED; i++)
		g->goals[g->ngoals++] = ways[i].goal;
	free(ways);
	if (!n)
		return hd_fail(eb, HD_ERR_INVALID,
			       "--goal, line %u: the goal names the same "
			       "event twice",
			       g->line);
	return HD_OK;
}

enum hd_err hd_user_goals_resolve(struct hd_user_goals *g, struct hd_run *run, struct hd_errbuf *eb)
{
	struct matching m = { .goals = g, .run = run };
	enum hd_err err;

	for (size_t i = 0; i < g->n; i++)
		m.nterms += g->list[i].norder + g->list[i].nnext;
	err = hd_run_each(run, look, &m, eb);
	if (err == HD_ERR_NOMEM)
		hd_fail(eb, err, "out of memory for goals");
	hd_map_free(&m.places);
	hd_map_free(&m.names);
	for (size_t i = 0; i < g->n && !err; i++)
		err = make_goals(&g->list[i], eb);
	return err;
}
