#include "goal_ways.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define WAYS_TRIED 64 /* to pick one for each */
#define WAYS_MAX   65536

/* One event for each term. */
struct way {
	struct hd_goal goal;
	struct hd_fit fits[HD_GOAL_MAX]; /* of a sentence: what is known of those in goal.order */
	uint64_t span;
};

static int nearer(const void *a, const void *b)
{
	const struct way *x = a, *y = b;

	if (x->span != y->span)
		return x->span < y->span ? -1 : 1;
	return memcmp(&x->goal, &y->goal, sizeof(x->goal)); /* the same in every run */
}

static const struct hd_term *term_of(const struct hd_user_goal *g, size_t i)
{
	return i < g->norder ? &g->order[i] : &g->next[i - g->norder];
}

static size_t choices(const struct hd_term *t)
{
	return t->numbered ? 1 : t->nfits;
}

static uint64_t pick(const struct hd_term *t, size_t i)
{
	return t->numbered ? t->number : t->fits[i].event;
}

/* May an event of @thread be @t's, given the events of the terms before number @n? */
static bool is_by(const struct hd_user_goal *g, const struct way *w, const struct hd_term *t,
		  uint32_t thread, size_t n)
{
	for (size_t i = 0; i < n && t->who; i++) {
		char who = g->order[i].who;

		if (who && (who == t->who) != (w->fits[i].thread == thread))
			return false;
	}
	return true;
}

/* Do the events go with each other as the sentence says? */
static bool is_meant(const struct hd_user_goal *g, const struct way *w)
{
	const struct hd_fit *f = w->fits;

	if (g->between &&
	    (f[0].thread != f[2].thread || f[1].thread == f[0].thread || f[2].event < f[0].event))
		return false;
	if (g->twice && f[0].thread == f[1].thread && f[1].event < f[0].event)
		return false;
	/* A line that calls something is several instructions, each done once. */
	if (g->twice && f[0].thread == f[1].thread && hd_term_is_line(&g->order[0]) &&
	    f[0].pc != f[1].pc)
		return false;
	for (size_t i = 1; i < g->norder; i++) {
		if (!is_by(g, w, &g->order[i], f[i].thread, i))
			return false;
		for (size_t k = 0; k < i; k++) {
			const struct hd_term *a = &g->order[i], *b = &g->order[k];

			if (a->block && b->block && !strcmp(a->name, b->name) &&
			    f[i].block != f[k].block)
				return false;
		}
	}
	return true;
}

/* The @n-th way; false: it names an event twice, or is not what is meant. */
static bool make_way(const struct hd_user_goal *g, size_t n, struct way *w)
{
	uint64_t low = UINT64_MAX, high = 0, events[2 * HD_GOAL_MAX];

	memset(w, 0, sizeof(*w));
	w->goal.open_end = g->open_end;
	for (size_t i = 0; i < g->norder + g->nnext; i++) {
		const struct hd_term *t = term_of(g, i);
		uint64_t event = pick(t, n % choices(t));

		if (g->sentence)
			w->fits[i] = t->fits[n % choices(t)];
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
	return !g->sentence || is_meant(g, w);
}

static enum hd_err nothing_fits(const struct hd_user_goal *g, const struct hd_term *t, size_t i,
				struct hd_errbuf *eb)
{
	bool call = t->op == HD_OP_FUNC_ENTRY || t->op == HD_OP_FUNC_EXIT;

	if (t->nth && t->all_fits)
		return hd_fail(eb, HD_ERR_NOT_FOUND,
			       "--goal, line %u: event %zu of the goal is to be number %" PRIu64
			       " of those that fit, but there are only %" PRIu64,
			       g->line, i + 1, t->nth, t->all_fits);
	return hd_fail(eb, HD_ERR_NOT_FOUND,
		       "--goal, line %u: no event of the run fits event %zu of the goal%s", g->line,
		       i + 1, call ? "; `heddle run` records calls with --calls" : "");
}

/* ---- sentences ------------------------------------------------------------------------------ */

/*
 * What a way of a sentence asks of the schedule: moments, some before others. A moment is an event. One
 * that matters to no other thread lies anywhere between its neighbours that do: after @low and before
 * @high. If @low reads, it has to see what it saw, or the thread may never get to the event: that is so
 * if @high is a part of the goal as well.
 */
struct moment {
	uint64_t low, high;
	bool has_low, has_high;
	uint32_t thread;
	bool undone; /* it need not happen at all, only not before others */
	bool tied;   /* @low is a read, and not the event itself */
};

#define NOBODY	    UINT32_MAX /* stands for two threads */
#define MOMENTS_MAX (3 * HD_GOAL_MAX)

struct demand {
	struct moment moments[MOMENTS_MAX];
	bool before[MOMENTS_MAX][MOMENTS_MAX];
	size_t n;
};

/* Events of a demand, and which has to come before which. */
struct net {
	uint64_t events[HD_GOAL_MAX];
	uint32_t threads[HD_GOAL_MAX];
	bool open[HD_GOAL_MAX]; /* need not happen */
	bool before[HD_GOAL_MAX][HD_GOAL_MAX];
	size_t n;
	bool full;
	bool vague; /* nothing says that a read sees what it saw */
};

struct making {
	struct hd_user_goal *g;
	const struct hd_predict *p;
};

static size_t add_moment(struct making *m, struct demand *d, const struct hd_fit *fit, bool undone)
{
	struct moment *new = &d->moments[d->n];

	*new = (struct moment){ fit->event, fit->event, true, true, fit->thread, .undone = undone };
	if (!m->p || hd_predict_matters(m->p, fit->event))
		return d->n++;
	new->has_low = hd_predict_nearest(m->p, fit->event, false, &new->low);
	new->has_high = hd_predict_nearest(m->p, fit->event, true, &new->high);
	new->tied = new->has_low &&hd_predict_reads(m->p, new->low);
	if (!new->has_low && fit->fork) { /* the thread's first event */
		new->low = fit->fork - 1;
		new->has_low = hd_predict_matters(m->p, new->low);
		new->thread = NOBODY;
	}
	return d->n++;
}

static size_t node_of(struct net *net, uint64_t event, uint32_t thread)
{
	for (size_t i = 0; i < net->n; i++) {
		if (net->events[i] == event)
			return i;
	}
	if (net->n == HD_GOAL_MAX) {
		net->full = true;
		return 0;
	}
	net->events[net->n] = event;
	net->threads[net->n] = thread;
	net->open[net->n] = true;
	return net->n++;
}

/* What a thread does before something that happens, happens. */
static void keep_program_order(struct net *net)
{
	for (size_t i = 0; i < net->n; i++) {
		for (size_t k = 0; k < net->n; k++) {
			if (net->threads[i] != net->threads[k] || net->threads[i] == NOBODY ||
			    net->events[i] >= net->events[k])
				continue;
			net->before[i][k] = true;
			net->open[i] &= net->open[k];
		}
	}
}

static void make_net(const struct demand *d, struct net *net)
{
	*net = (struct net){ 0 };
	for (size_t i = 0; i < d->n; i++) {
		const struct moment *a = &d->moments[i];
		size_t low;

		if (!a->has_low || a->undone)
			continue;
		low = node_of(net, a->low, a->thread);
		net->open[low] = false;
		if (a->tied && a->has_high)
			net->before[low][node_of(net, a->high, a->thread)] = true;
		net->vague |= a->tied && !a->has_high;
	}
	for (size_t i = 0; i < d->n; i++) {
		for (size_t k = 0; k < d->n; k++) {
			const struct moment *a = &d->moments[i], *b = &d->moments[k];
			size_t from;

			if (!d->before[i][k] || !a->has_low || !b->has_high || a->low == b->high)
				continue;
			from = node_of(net, a->low, a->thread);
			net->before[from][node_of(net, b->high, b->thread)] = true;
		}
	}
	keep_program_order(net);
}

static void add_goal(struct hd_user_goal *g, const struct hd_goal *new)
{
	for (size_t i = 0; i < g->ngoals; i++) {
		if (!memcmp(&g->goals[i], new, sizeof(*new)))
			return;
	}
	if (g->ngoals == WAYS_TRIED)
		g->more = true;
	else
		g->goals[g->ngoals++] = *new;
}

/* All orders of the net's events, as goals. */
static void add_orders(struct hd_user_goal *g, const struct net *net, struct hd_goal *goal,
		       unsigned taken)
{
	if (goal->norder == net->n) {
		struct hd_goal new = *goal;

		for (size_t i = 0; i < net->n; i++) {
			if (net->events[i] == new.order[net->n - 1])
				new.open_end = net->open[i];
		}
		add_goal(g, &new);
		return;
	}
	for (size_t i = 0; i < net->n && !(g->ngoals == WAYS_TRIED && g->more); i++) {
		bool ready = !(taken & 1u << i);

		for (size_t k = 0; k < net->n; k++)
			ready &= !net->before[k][i] || (taken & 1u << k);
		if (!ready)
			continue;
		goal->order[goal->norder++] = net->events[i];
		add_orders(g, net, goal, taken | 1u << i);
		goal->order[--goal->norder] = 0;
	}
}

static void add_demand(struct making *m, const struct demand *d)
{
	struct hd_goal goal = { 0 };
	struct net net;
	size_t open = 0;

	make_net(d, &net);
	for (size_t i = 0; i < net.n; i++)
		open += net.open[i];
	/* Only the last event of a goal may be left undone. */
	if (net.full || net.vague || open > 1)
		m->g->more = true;
	if (!net.full && !net.vague && net.n)
		add_orders(m->g, &net, &goal, 0);
}

/* What is avoided in one of the gaps, of one thread: how many come before the gap, from @low to @high. */
struct choice {
	size_t gap;
	uint32_t thread;
	size_t low, high;
};

/* Is @f one of them? An event of the sentence itself is not between its events. */
static bool is_avoided(const struct hd_user_goal *g, const struct way *w, const struct choice *c,
		       const struct hd_fit *f)
{
	const struct hd_term *t = &g->without[c->gap];

	if (f->thread != c->thread || f->event == w->fits[c->gap].event ||
	    f->event == w->fits[c->gap + 1].event)
		return false;
	for (size_t k = 0; k < g->norder && t->block; k++) {
		if (g->order[k].block && !strcmp(g->order[k].name, t->name) &&
		    w->fits[k].block != f->block)
			return false;
	}
	return is_by(g, w, t, f->thread, g->norder);
}

/* The first @before of them come before the gap, the others after it. */
static void split(struct making *m, struct demand *d, const struct way *w, const struct choice *c,
		  size_t before)
{
	const struct hd_term *avoided = &m->g->without[c->gap];
	const struct hd_fit *last = NULL, *next = NULL;
	size_t n = 0, new;

	for (size_t i = 0; i < avoided->nfits && !next; i++) {
		if (!is_avoided(m->g, w, c, &avoided->fits[i]))
			continue;
		if (n++ < before)
			last = &avoided->fits[i];
		else
			next = &avoided->fits[i];
	}
	if (d->n + 2 > MOMENTS_MAX) {
		m->g->more = true;
		return;
	}
	/* What the thread does before or after anyway needs no saying. */
	if (last && c->thread != w->fits[c->gap].thread) {
		new = add_moment(m, d, last, false);
		for (size_t i = c->gap; i < m->g->norder; i++)
			d->before[new][i] = true;
	}
	if (next && c->thread != w->fits[c->gap + 1].thread) {
		new = add_moment(m, d, next, true);
		for (size_t i = 0; i <= c->gap + 1; i++)
			d->before[i][new] = true;
	}
}

/* Fill in low and high; false: one is always in the gap. */
static bool choose(const struct hd_user_goal *g, const struct way *w, struct choice *c)
{
	const struct hd_term *avoided = &g->without[c->gap];
	const struct hd_fit *x = &w->fits[c->gap], *y = &w->fits[c->gap + 1];
	size_t all = 0, before_x = 0, before_y = 0;

	for (size_t k = 0; k < avoided->nfits; k++) {
		if (!is_avoided(g, w, c, &avoided->fits[k]))
			continue;
		all++;
		before_x += avoided->fits[k].event < x->event;
		before_y += avoided->fits[k].event < y->event;
	}
	c->low = 0;
	c->high = all;
	if (c->thread == x->thread)
		c->low = c->high = before_x;
	if (c->thread == y->thread)
		c->low = c->high = before_y;
	return c->thread != x->thread || c->thread != y->thread || before_x == before_y;
}

#define CHOICES_MAX 8

static void add_choices(struct making *m, const struct way *w, const struct choice *list, size_t n,
			const struct demand *so_far)
{
	if (!n) {
		add_demand(m, so_far);
		return;
	}
	for (size_t i = list->low; i <= list->high && !(m->g->ngoals == WAYS_TRIED && m->g->more);
	     i++) {
		struct demand *d = malloc(sizeof(*d));

		if (!d) {
			m->g->more = true;
			return;
		}
		*d = *so_far;
		split(m, d, w, list, i);
		add_choices(m, w, list + 1, n - 1, d);
		free(d);
	}
}

static void add_sentence(struct making *m, const struct way *w)
{
	struct choice list[CHOICES_MAX];
	struct demand d = { 0 };
	size_t n = 0;

	for (size_t i = 0; i < m->g->norder; i++) {
		add_moment(m, &d, &w->fits[i], m->g->open_end && i + 1 == m->g->norder);
		for (size_t k = 0; k < i; k++)
			d.before[k][i] = true;
	}
	for (size_t i = 0; i + 1 < m->g->norder; i++) {
		const struct hd_term *avoided = &m->g->without[i];

		m->g->more |= avoided->all_fits > avoided->nfits;
		for (size_t k = 0; k < avoided->nfits; k++) {
			uint32_t thread = avoided->fits[k].thread;
			bool known = false;

			for (size_t j = 0; j < n; j++)
				known |= list[j].gap == i && list[j].thread == thread;
			if (known)
				continue;
			if (n == CHOICES_MAX) {
				m->g->more = true;
				return;
			}
			list[n] = (struct choice){ .gap = i, .thread = thread };
			if (!choose(m->g, w, &list[n++]))
				return;
		}
	}
	add_choices(m, w, list, n, &d);
}

/* ---- all of it ------------------------------------------------------------------------------ */

static enum hd_err none_is_meant(struct hd_user_goal *g, struct hd_errbuf *eb)
{
	return g->sentence ? hd_fail(eb, HD_ERR_NOT_FOUND,
				     "--goal, line %u: events of the run fit each part of the "
				     "goal, but none fit together",
				     g->line)
			   : hd_fail(eb, HD_ERR_INVALID,
				     "--goal, line %u: the goal names the same "
				     "event twice",
				     g->line);
}

static void take_ways(struct hd_user_goal *g, const struct hd_predict *p, const struct way *ways,
		      size_t n)
{
	struct making m = { .g = g, .p = p };

	if (!g->sentence)
		g->more |= n > WAYS_TRIED;
	for (size_t i = 0; i < n && g->ngoals < WAYS_TRIED; i++) {
		if (g->sentence)
			add_sentence(&m, &ways[i]);
		else
			g->goals[g->ngoals++] = ways[i].goal;
		g->more |= g->ngoals == WAYS_TRIED && i + 1 < n;
	}
}

enum hd_err hd_goal_ways(struct hd_user_goal *g, const struct hd_predict *p, struct hd_errbuf *eb)
{
	size_t all = 1, n = 0;
	struct way *ways;

	for (size_t i = 0; i < g->norder + g->nnext; i++) {
		const struct hd_term *t = term_of(g, i);

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
	take_ways(g, p, ways, n);
	free(ways);
	return n ? HD_OK : none_is_meant(g, eb);
}
