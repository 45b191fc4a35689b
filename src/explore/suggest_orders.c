/*
 * Which memory orders make a program right, and which it does not need: found by exploring it with others than it
 * asks for.
 *
 * Stronger ones. A set of changes is tried. If an execution still fails, then a set that helps has to change something
 * in that execution. So changes are added for as long as something fails, and one of those in the last failing
 * execution that were not among them is needed. The cheapest set that has one of each such list is the next to be
 * tried. If that is clean there is no smaller one: orders are more exclusive the stronger they are (RC11 is
 * monotone), so no subset of what failed would have helped.
 */
#include "suggest_orders.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/budget.h"
#include "common/memory_order.h"
#include "hitting_set.h"
#include "order_sites.h"
#include "search.h"

/* Fewer changes are better than more; then orders are better than fences, and relaxed ones are changed first. */
#define COST_RELAXED 1000u
#define COST_ORDER   1001u
#define COST_FENCE   1002u
#define SHOWN                                                                                      \
	16u /* runs at random that sites are taken from first, and of a clean program's ends */
#define LOOK_LIMIT 1.0 /* seconds for such a run: it may have no end */
#define EXECUTIONS                                                                                 \
	20000u /* of an exploration, unless the user says how many; then it is not known what it comes to */

enum verdict { UNKNOWN, CLEAN, FAILS };

struct suggestion {
	struct hd_exploration *x; /* of the program as it is */
	struct hd_orders *to;
	struct hd_order_sites sites;
	struct hd_order_change *tried; /* of each site */
	size_t room;
	struct hd_hitting
		hitting; /* items: 2 * site is its order, and the number after that a fence */
	bool weaker, fences, grown;
	bool unsure;	    /* an exploration did not come to its end */
	struct hd_map ends; /* weaker: outcomes of the program as it is, by hash */
	enum hd_err err;
};

/* ---- exploring with other orders --------------------------------------------------- */

static bool stop(const struct suggestion *s)
{
	return s->err != HD_OK || s->x->c.interrupted || hd_budget_over();
}

static bool next_run(void *arg, size_t i, struct hd_trial *t)
{
	struct hd_exploration *x = ((struct suggestion *)arg)->to->by;
	const bool fault = x->nfaults != 0;

	if (i >= (fault ? 1 : 1 + x->outcomes.n) || i >= SHOWN || !x->first)
		return false;
	*t = hd_campaign_trial(&x->c);
	t->follow = HD_POLICY_REPLAY;
	if (!fault && i) {
		const struct hd_end *e = &x->outcomes.list[i - 1];

		hd_where_put(&t->run_as, &x->wheres[e->round]);
		t->choices = e->choices;
		t->nchoices = e->nchoices;
		return true;
	}
	hd_where_put(&t->run_as, fault ? &x->faults[0].at : &x->first_at);
	t->choices = fault ? x->faults[0].choices : x->first;
	t->nchoices = fault ? x->faults[0].nchoices : x->nfirst;
	return true;
}

static bool take_run(void *arg, size_t i, struct hd_trial *t)
{
	struct suggestion *s = arg;
	size_t had = s->sites.n;

	if (!t->trace)
		return true;
	if (!hd_order_sites_look(&s->sites, t, s->tried, had, &s->grown) ||
	    !HD_ROOM(s->tried, s->room, s->sites.n + 1)) {
		s->err = hd_error(HD_ERR_NOMEM, "out of memory");
		return false;
	}
	memset(s->tried + had, 0, (s->sites.n - had) * sizeof(*s->tried));
	return true;
}

/* Runs at random, to know what there is besides failing executions: if something is missed, nothing is claimed. */
static bool next_random(void *arg, size_t i, struct hd_trial *t)
{
	struct suggestion *s = arg;

	*t = hd_campaign_trial(&s->x->c);
	t->run_as.policy = HD_POLICY_RANDOM;
	t->run_as.model = HD_MODEL_C11;
	t->run_as.seed = i + 1;
	return i < SHOWN;
}

static void look_at_runs(struct suggestion *s, bool (*next)(void *, size_t, struct hd_trial *))
{
	struct hd_trials trials = {
		.program = &s->x->c.program, .arg = s, .next = next, .take = take_run
	};
	struct hd_pool pool = {
		.jobs = 1, .unfinished = true, .until = hd_budget_until(), .limit = LOOK_LIMIT
	};

	hd_trials_run(&trials, &pool);
	if (trials.rc != HD_OK && s->err == HD_OK)
		s->err = trials.rc;
}

/* No new end besides those of the program as it is; the first time these are learnt. */
static bool same_ends(struct suggestion *s, const struct hd_outcomes *o, bool learn)
{
	for (size_t i = 0; i < o->n; i++) {
		if (learn && !hd_map_set(&s->ends, o->list[i].hash, 1))
			s->err = hd_error(HD_ERR_NOMEM, "out of memory");
		if (!learn && !hd_map_get(&s->ends, o->list[i].hash))
			return false;
	}
	return !o->left_out;
}

static enum verdict judge(struct suggestion *s, const struct hd_exploration *x, bool learn)
{
	if (x->nfaults)
		return FAILS;
	if (hd_exploration_why_stopped(x))
		return UNKNOWN;
	return !s->weaker || same_ends(s, &x->outcomes, learn) ? CLEAN : FAILS;
}

/* Explore with @orders, as the runtime is told them. @look: at the runs that show what came of it. */
static enum verdict explore_with(struct suggestion *s, const char *orders, bool look)
{
	struct hd_explore_config config = *s->x->config;
	struct hd_exploration *x = calloc(1, sizeof(*x));
	enum verdict v = UNKNOWN;

	if (!x || !orders) {
		free(x);
		s->err = hd_error(HD_ERR_NOMEM, "out of memory");
		return UNKNOWN;
	}
	config.outcomes = s->weaker;
	config.campaign.keep_going = false;
	config.suggest_orders = false;
	if (!config.executions)
		config.executions = EXECUTIONS;
	x->config = &config;
	hd_exploration_borrow(x, &s->x->c);
	x->c.base.orders = *orders ? orders : NULL;
	x->any_fault = true;
	hd_exploration_choose(x);
	if (s->weaker && config.observe)
		s->err = hd_observed_find(&x->outcomes.observed, x->c.program.argv[0],
					  config.observe);
	if (s->err == HD_OK)
		s->err = hd_exploration_explore(x);
	s->to->explorations++;
	s->to->executions += x->c.executions;
	s->x->c.interrupted |= x->c.interrupted;
	s->to->by = x;
	if (s->err == HD_OK)
		v = judge(s, x, look);
	if (s->err == HD_OK && look)
		look_at_runs(s, next_run); /* failing, or some of a clean program */
	s->unsure |= v == UNKNOWN;
	x->c.program.input = 0; /* it is the campaign's */
	hd_exploration_free(x);
	free(x);
	return v;
}

static enum verdict try_now(struct suggestion *s, bool look)
{
	char *text = hd_order_sites_text(&s->sites, s->tried, s->weaker);
	enum verdict v = explore_with(s, text, look);

	free(text);
	return v;
}

/* ---- stronger ------------------------------------------------------------------------ */

static struct hd_order_change *change_of(struct suggestion *s, unsigned item)
{
	return &s->tried[item / 2];
}

/* Is there anything to make stronger by it? */
static bool is_item(const struct suggestion *s, unsigned item)
{
	const struct hd_order_site *site = &s->sites.list[item / 2];

	return item % 2 ? site->op != HD_OP_FENCE
			: (site->was & HD_PARTS_SEQ_CST) != HD_PARTS_SEQ_CST;
}

static bool is_tried(struct suggestion *s, unsigned item)
{
	return item % 2 ? change_of(s, item)->fence != 0 : change_of(s, item)->changes;
}

static void set_item(struct suggestion *s, unsigned item, unsigned parts)
{
	struct hd_order_change *c = change_of(s, item);

	if (item % 2) {
		c->fence = parts;
	} else {
		c->changes = parts != 0;
		c->to = parts;
	}
}

/*
 * What is tried is not clean: one of the changes that were not made is needed. If it fails, which was looked at, one in
 * that execution.
 */
static void need_another(struct suggestion *s, bool fails)
{
	unsigned *items = calloc(2 * s->sites.n + 1, sizeof(*items));
	size_t n = 0;

	for (unsigned i = 0; items && i < 2 * s->sites.n; i++) {
		bool there = !fails || s->sites.list[i / 2].seen == s->sites.runs;

		if (there && is_item(s, i) && !is_tried(s, i))
			items[n++] = i;
	}
	if (!items || !hd_hitting_add(&s->hitting, items, n))
		s->err = hd_error(HD_ERR_NOMEM, "out of memory");
}

/* Make more changes for as long as something fails, or (@open) as it is not known: what is left has one that is needed. */
static void grow(struct suggestion *s, bool open)
{
	for (unsigned i = 0; i < 2 * s->sites.n && !stop(s); i++) {
		enum verdict v;

		if (!is_item(s, i) || is_tried(s, i) || (i % 2 && !s->fences))
			continue;
		set_item(s, i, HD_PARTS_SEQ_CST);
		v = try_now(s, false);
		if (v != FAILS && (v != UNKNOWN || !open))
			set_item(s, i, 0);
	}
}

static unsigned cost_of(const struct suggestion *s, unsigned item)
{
	if (!is_item(s, item) || (item % 2 && !s->fences))
		return 0;
	if (item % 2)
		return COST_FENCE;
	return s->sites.list[item / 2].was ? COST_ORDER : COST_RELAXED;
}

/* The next set to try, cheaper than @below; *@cost is its. */
static bool choose(struct suggestion *s, unsigned below, unsigned *total)
{
	const size_t n = 2 * s->sites.n;
	unsigned *cost = calloc(n + 1, sizeof(*cost));
	bool *chosen = calloc(n + 1, sizeof(*chosen)), found;

	if (!cost || !chosen) {
		s->err = hd_error(HD_ERR_NOMEM, "out of memory");
		free(cost);
		free(chosen);
		return false;
	}
	for (unsigned i = 0; i < n; i++)
		cost[i] = cost_of(s, i);
	found = hd_hitting_cheapest(&s->hitting, cost, n, below, chosen);
	*total = 0;
	for (unsigned i = 0; i < n && found; i++) {
		set_item(s, i, chosen[i] ? HD_PARTS_SEQ_CST : 0);
		*total += chosen[i] ? cost[i] : 0;
	}
	free(cost);
	free(chosen);
	return found;
}

/* Explore, and look at what fails; once more if there is more to change by what is tried than was known. */
static enum verdict try_and_look(struct suggestion *s)
{
	enum verdict v;

	do
		v = try_now(s, true);
	while (v == FAILS && s->grown && !stop(s));
	return v;
}

/* The cheapest set that is clean and costs less than @below into ->tried. *@total: its cost; 0: there is none. */
static void find_set(struct suggestion *s, unsigned below, unsigned *total)
{
	enum verdict v = UNKNOWN;

	while (!stop(s) && choose(s, below, total)) {
		v = try_and_look(s);
		if (v == CLEAN || stop(s))
			break;
		grow(s, v == UNKNOWN);
		v = try_and_look(s);
		if (v == CLEAN || stop(s))
			break;
		need_another(s, v == FAILS);
	}
	if (v != CLEAN || stop(s))
		*total = 0;
}

/* The weakest order that is enough for each change. */
static void lower(struct suggestion *s)
{
	static const unsigned levels[] = { HD_PART_ACQUIRES, HD_PART_RELEASES,
					   HD_PART_ACQUIRES | HD_PART_RELEASES };

	for (unsigned i = 0; i < 2 * s->sites.n && !stop(s); i++) {
		const struct hd_order_site *site = &s->sites.list[i / 2];
		const unsigned may = i % 2 ? HD_PARTS_SEQ_CST : hd_order_site_parts(site);
		bool done = !is_tried(s, i);

		for (size_t k = 0; k < 3 && !done && !stop(s); k++) {
			if ((levels[k] & may) != levels[k] ||
			    (i % 2 == 0 && (site->was | levels[k]) == site->was))
				continue;
			set_item(s, i, levels[k]);
			done = try_now(s, false) == CLEAN;
		}
		if (!done)
			set_item(s, i, HD_PARTS_SEQ_CST);
	}
}

static void strengthen(struct suggestion *s)
{
	struct hd_order_change *best = NULL;
	unsigned total = 0, fewer = 0;
	enum verdict v = explore_with(s, "0+7", false);

	s->to->what = v == FAILS ? HD_ORDERS_NO_HELP : HD_ORDERS_UNKNOWN;
	if (v != CLEAN || stop(s))
		return;
	find_set(s, UINT32_MAX, &total);
	if (total >= 2 * COST_RELAXED && !stop(s)) { /* a fence may do instead of several orders */
		const size_t n = s->sites.n;

		best = malloc((n + 1) * sizeof(*best));
		if (best)
			memcpy(best, s->tried, n * sizeof(*best));
		s->fences = true;
		find_set(s, total, &fewer);
		if (best && !fewer) {
			memset(s->tried, 0, s->sites.n * sizeof(*s->tried));
			memcpy(s->tried, best, n * sizeof(*best));
		}
		free(best);
	}
	if (!total)
		return;
	s->to->smallest = !s->unsure && !s->hitting.gave_up && !stop(s);
	lower(s);
	s->to->what = HD_ORDERS_STRONGER;
}

/* ---- weaker --------------------------------------------------------------------------- */

/* The weakest order at @site, beside what is weaker already, that brings nothing new. */
static void weaken(struct suggestion *s, size_t site)
{
	static const unsigned levels[] = { 0, HD_PART_ACQUIRES, HD_PART_RELEASES,
					   HD_PART_ACQUIRES | HD_PART_RELEASES };
	const struct hd_order_site *at = &s->sites.list[site];
	const unsigned may = hd_order_site_parts(at);

	for (size_t k = 0; k < 4 && !stop(s); k++) {
		if ((levels[k] & may & at->was) != levels[k] || levels[k] == at->was)
			continue;
		s->tried[site] = (struct hd_order_change){ .changes = true, .to = levels[k] };
		if (try_now(s, false) == CLEAN)
			return;
	}
	s->tried[site] = (struct hd_order_change){ 0 };
}

static void weaken_all(struct suggestion *s)
{
	s->weaker = true;
	s->to->what = HD_ORDERS_UNKNOWN;
	if (explore_with(s, "", true) != CLEAN || stop(s))
		return;
	for (size_t i = 0; i < s->sites.n && !stop(s); i++) {
		if (s->sites.list[i].was && !s->sites.list[i].only_fails)
			weaken(s, i);
	}
	s->to->what = HD_ORDERS_WEAKER;
}

/* ---- what came of it -------------------------------------------------------------------- */

static bool keep(struct suggestion *s, size_t i)
{
	struct hd_order_site *site = &s->sites.list[i];
	const struct hd_order_change *c = &s->tried[i];
	unsigned now = s->weaker ? site->was & c->to : site->was | c->to;
	struct hd_report_order *o;

	if (!c->changes && !c->fence)
		return true;
	if (!HD_ROOM(s->to->list, s->to->room, s->to->n + 1))
		return false;
	o = &s->to->list[s->to->n++];
	*o = (struct hd_report_order){ .what = hd_order_site_word(site),
				       .object = site->object,
				       .file = site->file,
				       .function = site->function,
				       .line = site->line,
				       .fence = c->fence != 0,
				       .was = hd_order_word(site->was),
				       .now = hd_order_word(c->fence ? c->fence : now) };
	site->object = site->file = site->function = NULL; /* theirs now */
	return true;
}

static int by_place(const void *a, const void *b)
{
	const struct hd_report_order *x = a, *y = b;
	int files = strcmp(x->file ? x->file : "", y->file ? y->file : "");

	return files ? files : (x->line > y->line) - (x->line < y->line);
}

enum hd_err hd_exploration_suggest(struct hd_exploration *x, struct hd_orders *to)
{
	struct suggestion s = { .x = x, .to = to };

	to->what = HD_ORDERS_UNKNOWN;
	look_at_runs(&s, next_random);
	if (s.err == HD_OK && x->nfaults)
		strengthen(&s);
	else if (s.err == HD_OK && !hd_exploration_why_stopped(x))
		weaken_all(&s);
	for (size_t i = 0; i < s.sites.n && s.err == HD_OK && to->what != HD_ORDERS_UNKNOWN; i++) {
		if (!keep(&s, i))
			s.err = hd_error(HD_ERR_NOMEM, "out of memory");
	}
	if (to->n)
		qsort(to->list, to->n, sizeof(*to->list), by_place);
	to->by = NULL;
	free(s.tried);
	hd_map_free(&s.ends);
	hd_hitting_free(&s.hitting);
	hd_order_sites_free(&s.sites);
	return s.err;
}

void hd_orders_free(struct hd_orders *o)
{
	for (size_t i = 0; i < o->n; i++) {
		free((char *)o->list[i].object);
		free((char *)o->list[i].file);
		free((char *)o->list[i].function);
	}
	free(o->list);
	*o = (struct hd_orders){ 0 };
}

static void note_changes(struct hd_campaign *c, const struct hd_orders *o)
{
	for (size_t i = 0; i < o->n; i++) {
		const struct hd_report_order *r = &o->list[i];
		const char *file = r->file ? strrchr(r->file, '/') : NULL;

		hd_campaign_note(c, "orders: %s:%u%s%s: %s%s%s%s%s%s memory_order_%s%s%s",
				 file	   ? file + 1
				 : r->file ? r->file
					   : "?",
				 r->line, r->function ? " in " : "", r->function ? r->function : "",
				 r->fence ? "before this " : "", r->what, r->object ? " of '" : "",
				 r->object ? r->object : "", r->object ? "'" : "",
				 r->fence ? ", a fence with" : ":", r->fence ? r->now : r->was,
				 r->fence ? "" : " -> memory_order_", r->fence ? "" : r->now);
	}
}

void hd_orders_note(struct hd_campaign *c, const struct hd_orders *o)
{
	const unsigned long long n = o->explorations, runs = o->executions;

	if (o->what == HD_ORDERS_NO_HELP)
		hd_campaign_note(c, "orders: no memory orders help: it fails with seq_cst for "
				    "every atomic operation, too");
	else if (o->what == HD_ORDERS_UNKNOWN)
		hd_campaign_note(c,
				 "orders: nothing is suggested, as explorations did not come to "
				 "their end (%llu explorations, %llu executions)",
				 n, runs);
	else if (o->what == HD_ORDERS_STRONGER)
		hd_campaign_note(
			c,
			"orders: with %s%zu change%s the exploration is complete and finds "
			"nothing (%llu explorations, %llu executions):",
			o->smallest ? "this smallest set of " : "", o->n, o->n == 1 ? "" : "s", n,
			runs);
	else if (o->n)
		hd_campaign_note(c,
				 "orders: %zu can be weaker, all at once, without a new outcome "
				 "(%llu explorations, %llu executions):",
				 o->n, n, runs);
	else
		hd_campaign_note(c,
				 "orders: none can be weaker without a new outcome (%llu "
				 "explorations, %llu executions)",
				 n, runs);
	note_changes(c, o);
}
