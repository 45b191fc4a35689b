#include "exploration.h"

#include <stdio.h>
#include <string.h>

#include "common/clock.h"

/* Executions of the search before the others' first turn, if these are short: long ones come to fewer. */
#define SEARCH	  4000u
#define LEAST	  200u
#define DECISIONS 400000u /* so many in all */
#define MOST_TURN 12u	  /* from here on shares do not grow */
#define MOST_PCT  10u	  /* depth */

static uint64_t unit(const struct hd_exploration *x)
{
	uint64_t n = DECISIONS / (x->nfirst + 1);

	return n < LEAST ? LEAST : n > SEARCH ? SEARCH : n;
}

static unsigned growth(const struct hd_portfolio *p)
{
	return p->turn < MOST_TURN ? p->turn : MOST_TURN;
}

uint64_t hd_portfolio_share(const struct hd_exploration *x)
{
	const struct hd_portfolio *p = &x->portfolio;

	/* The first execution tells how long they are. */
	if (!p->on)
		return 0;
	if (x->nfaults && !x->keep_going) /* there is a race: what may be behind it is not far */
		return unit(x) / 16;
	return x->first ? unit(x) << 2 * growth(p) : 1;
}

uint64_t hd_portfolio_behind_race(const struct hd_exploration *x)
{
	return unit(x) / 2;
}

void hd_portfolio_free(struct hd_portfolio *p)
{
	hd_xconflicts_free(&p->conflicts);
	hd_xposition_free(p->bounded);
	p->bounded = NULL;
}

void hd_portfolio_begin(struct hd_portfolio *p)
{
	hd_portfolio_free(p);
	p->turn = 0;
	p->bound = 0;
	p->bounds_hold = true;
}

/* ---- a turn ------------------------------------------------------------------------ */

struct turn {
	struct hd_exploration *x;
	uint64_t *left;
	double until;
	const char *stopped; /* the budget of everything ended */
	bool over;	     /* there is no need to go on */
	struct hd_errbuf *eb;
};

static enum hd_err finish(struct turn *t, const struct hd_xstats *s, uint64_t made, bool limited)
{
	struct hd_exploration *x = t->x;

	x->portfolio.executions[x->portfolio.now.member] += made;
	x->c.executions += made;
	if (*t->left)
		*t->left -= made < *t->left ? made : *t->left;
	if (s->stopped && !strcmp(s->stopped, "time"))
		t->stopped = "time";
	else if (limited && !*t->left)
		t->stopped = "executions";
	t->over = t->stopped || hd_exploration_is_over(x);
	return HD_OK;
}

/* Let @how do up to @most executions, with executors of its own. */
static enum hd_err work(struct turn *t, struct hd_xoptions how, uint64_t most, struct hd_xstats *s)
{
	struct hd_exploration *x = t->x;
	struct hd_xoptions was = x->how;
	uint64_t before = how.position && *how.position ? (*how.position)->stats.executions : 0;
	bool limited = *t->left != 0;
	enum hd_err err;

	*s = (struct hd_xstats){ 0 };
	how.max_executions = limited && *t->left < most ? *t->left : most;
	how.max_seconds = t->until > 0 ? t->until - hd_now() : 0;
	if (t->until > 0 && how.max_seconds <= 0) {
		t->stopped = "time";
		t->over = true;
		return HD_OK;
	}
	x->how = how;
	x->using = &x->others;
	err = hd_exploration_start(x);
	if (err == HD_OK)
		err = hd_explore(&x->how, hd_exploration_execute, hd_exploration_see, x, s, t->eb);
	else
		*t->eb = *hd_last_error();
	hd_executors_stop(&x->others);
	x->using = &x->executors;
	x->how = was;
	finish(t, s, s->executions - before, limited);
	return err;
}

static struct hd_xoptions as(const struct hd_exploration *x, enum hd_xstrategy strategy)
{
	struct hd_xoptions how = x->how;

	how.strategy = strategy;
	how.position = NULL;
	how.match = how.exact = false;
	return how;
}

static enum hd_err try_conflicts(struct turn *t, uint64_t most)
{
	struct hd_portfolio *p = &t->x->portfolio;
	struct hd_xoptions how = as(t->x, HD_X_CONFLICTS);
	struct hd_xstats s;
	enum hd_err err;

	p->now = (struct hd_worker){ HD_MEMBER_CONFLICTS, 0 };
	how.conflicts = &p->conflicts;
	err = work(t, how, most, &s);
	return err;
}

/* As many bounds as can be completed. */
static enum hd_err try_bounds(struct turn *t, uint64_t most)
{
	struct hd_portfolio *p = &t->x->portfolio;
	uint64_t from = p->executions[HD_MEMBER_BOUNDED];

	while (!t->over && p->executions[HD_MEMBER_BOUNDED] - from < most) {
		struct hd_xoptions how = as(t->x, HD_X_BOUNDED);
		struct hd_xstats s;
		enum hd_err err;

		p->now = (struct hd_worker){ HD_MEMBER_BOUNDED, p->bound };
		how.preemptions = p->bound;
		how.match = t->x->config->match == HD_MATCH_YES;
		how.position = &p->bounded;
		err = work(t, how, most - (p->executions[HD_MEMBER_BOUNDED] - from), &s);
		if (err)
			return err;
		if (!s.complete)
			return HD_OK;
		p->bounds_hold &= !s.cut;
		p->bound++;
	}
	return HD_OK;
}

static enum hd_err try_priorities(struct turn *t, uint64_t most)
{
	struct hd_portfolio *p = &t->x->portfolio;
	struct hd_xoptions how = as(t->x, HD_X_PCT);
	struct hd_xstats s;

	if (t->x->uses & HD_X_USES_OUTSIDE)
		return HD_OK; /* what it does is not in its decisions */
	how.pct_depth = 2 + (p->turn < MOST_PCT - 2 ? p->turn : MOST_PCT - 2);
	how.seed += (uint64_t)p->turn << 32;
	p->now = (struct hd_worker){ HD_MEMBER_PCT, how.pct_depth };
	return work(t, how, most, &s);
}

enum hd_err hd_portfolio_turn(struct hd_exploration *x, uint64_t *left, double until,
			      const char **stopped, struct hd_errbuf *eb)
{
	struct hd_portfolio *p = &x->portfolio;
	struct turn t = { .x = x, .left = left, .until = until, .eb = eb };
	uint64_t most = unit(x) / 4 << growth(p);
	enum hd_err err = try_conflicts(&t, most);

	if (!err && !t.over)
		err = try_bounds(&t, most);
	if (!err && !t.over)
		err = try_priorities(&t, most / 4);
	p->now = (struct hd_worker){ HD_MEMBER_SEARCH, 0 };
	p->turn++;
	*stopped = t.stopped;
	return err;
}

/* ---- what is told ------------------------------------------------------------------- */

void hd_worker_words(const struct hd_exploration *x, const struct hd_worker *w, char *buf,
		     size_t len)
{
	switch (w->member) {
	case HD_MEMBER_SEARCH:
		snprintf(buf, len, "%s", hd_strategy_words[x->strategy]);
		return;
	case HD_MEMBER_CONFLICTS:
		snprintf(buf, len, "preemptions where threads meet");
		return;
	case HD_MEMBER_BOUNDED:
		snprintf(buf, len, "all schedules with at most %u preemption%s", w->number,
			 w->number == 1 ? "" : "s");
		return;
	case HD_MEMBER_PCT:
		snprintf(buf, len, "pct of depth %u", w->number);
		return;
	case HD_MEMBERS:
		break;
	}
	snprintf(buf, len, "?");
}

void hd_portfolio_note(struct hd_exploration *x)
{
	const struct hd_portfolio *p = &x->portfolio;
	const uint64_t *n = p->executions;

	if (n[HD_MEMBER_CONFLICTS])
		hd_campaign_note(
			&x->c,
			"besides: %llu executions with preemptions where threads meet, %llu "
			"with few preemptions, %llu by random priorities (pct)",
			(unsigned long long)n[HD_MEMBER_CONFLICTS],
			(unsigned long long)n[HD_MEMBER_BOUNDED],
			(unsigned long long)n[HD_MEMBER_PCT]);
	if (x->simpler)
		hd_campaign_note(&x->c, "%llu executions looked for fewer preemptions",
				 (unsigned long long)x->simpler);
}
