#include "closure.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LOOKS_AT_CLOCK 4096 /* one in so many operations */

double hd_seconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

enum hd_err hd_closure_init(struct hd_closure *c, const struct hd_progress *s, size_t max_bytes,
			    double deadline)
{
	size_t n = (size_t)s->p->nthreads + 1;

	*c = (struct hd_closure){ .p = s->p, .aim = s->aim, .s = s, .max_bytes = max_bytes,
				 .deadline = deadline };
	c->clocks = calloc(n, sizeof(*c->clocks));
	c->base = calloc(n, sizeof(*c->base));
	c->room = calloc(n, sizeof(*c->room));
	c->known = calloc(n, sizeof(*c->known));
	c->bound = calloc(n, sizeof(*c->bound));
	c->need = calloc(n, sizeof(*c->need));
	c->least = calloc(n, sizeof(*c->least));
	c->cursor = calloc(n, sizeof(*c->cursor));
	if (c->clocks && c->base && c->room && c->known && c->bound && c->need && c->least &&
	    c->cursor) {
		memcpy(c->base, s->at, s->p->nthreads * sizeof(*c->base));
		return HD_OK;
	}
	hd_closure_free(c);
	return HD_ERR_NOMEM;
}

void hd_closure_free(struct hd_closure *c)
{
	for (uint32_t t = 0; c->clocks && t < c->p->nthreads; t++)
		free(c->clocks[t]);
	free(c->clocks);
	free(c->base);
	free(c->room);
	free(c->known);
	free(c->bound);
	free(c->need);
	free(c->least);
	free(c->cursor);
	*c = (struct hd_closure){ 0 };
}

static uint32_t *clock_of(const struct hd_closure *c, uint32_t t, uint32_t at)
{
	return c->clocks[t] + (size_t)(at - c->base[t]) * c->p->nthreads;
}

const uint32_t *hd_closure_clock(const struct hd_closure *c, uint32_t thread, uint32_t at)
{
	return at >= c->s->at[thread] && at < c->known[thread] ? clock_of(c, thread, at) : NULL;
}

static bool make_room(struct hd_closure *c, uint32_t t, uint32_t upto)
{
	size_t one = (size_t)c->p->nthreads * sizeof(**c->clocks);
	uint32_t n = upto - c->base[t], room = c->room[t] ? c->room[t] : 64, *more;

	if (n <= c->room[t])
		return true;
	while (room < n)
		room *= 2;
	if (c->bytes + (room - c->room[t]) * one > c->max_bytes)
		return false;
	more = realloc(c->clocks[t], room * one);
	if (!more)
		return false;
	c->bytes += (room - c->room[t]) * one;
	c->clocks[t] = more;
	c->room[t] = room;
	return true;
}

/* Give the operations of @t before @upto clocks. May move the thread's clocks. */
static bool extend(struct hd_closure *c, uint32_t t, uint32_t upto)
{
	if (upto <= c->known[t])
		return true;
	if (!make_room(c, t, upto)) {
		c->gave_up = true;
		return false;
	}
	for (uint32_t i = c->known[t]; i < upto; i++) {
		uint32_t *clock = clock_of(c, t, i);

		memcpy(clock, c->s->at, c->p->nthreads * sizeof(*clock));
		clock[t] = i;
	}
	c->known[t] = upto;
	c->changed = true;
	return true;
}

static void join(struct hd_closure *c, uint32_t *into, const uint32_t *from)
{
	for (uint32_t u = 0; u < c->p->nthreads; u++)
		if (from[u] > into[u]) {
			into[u] = from[u];
			c->changed = true;
		}
}

/*
 * The clock of (@t, @at) must hold @n operations of @u; @t may be HD_NOWHERE for the end,
 * whose clock is need. False: that is impossible.
 */
static uint32_t *clock_or_end(struct hd_closure *c, uint32_t t, uint32_t at)
{
	return t == HD_NOWHERE ? c->need : clock_of(c, t, at);
}

static bool require(struct hd_closure *c, uint32_t t, uint32_t at, uint32_t u, uint32_t n)
{
	uint32_t *clock;

	if (n > c->bound[u] || !extend(c, u, n))
		return false;
	clock = clock_or_end(c, t, at);
	if (clock[u] < n) {
		clock[u] = n;
		c->changed = true;
	}
	if (n > c->s->at[u])
		join(c, clock, clock_of(c, u, n - 1));
	return true;
}

/* What comes before what comes before (@t, @at) comes before it. */
static bool follow(struct hd_closure *c, uint32_t t, uint32_t at)
{
	for (uint32_t u = 0; u < c->p->nthreads; u++) {
		uint32_t n = clock_or_end(c, t, at)[u];

		if (u != t && n > c->s->at[u] && !require(c, t, at, u, n))
			return false;
	}
	return t == HD_NOWHERE || clock_of(c, t, at)[t] <= at;
}

/*
 * (@t, @at) takes or holds @lock since @since: sections of others that begin before it end
 * before @since, the acquire.
 */
static bool others_release(struct hd_closure *c, uint32_t t, uint32_t at, uint32_t lock,
			   bool shared, uint32_t holder, uint32_t since)
{
	const struct hd_lanes *l = &c->p->sections;

	for (uint32_t k = l->lane_of[lock]; k < l->lane_of[lock + 1]; k++) {
		uint32_t u = l->lanes[k].thread, n, i;

		if (u == holder)
			continue;
		n = clock_or_end(c, t, at)[u];
		i = hd_lane_from(l, &l->lanes[k], n);
		/* The last section that must have begun; those before it are over anyway. */
		if (i == l->lanes[k].first || l->other[--i] < c->s->at[u])
			continue;
		if (shared && hd_operation(c->p, u, l->at[i])->shared)
			continue;
		if (l->other[i] == HD_NOWHERE || !require(c, t, at, u, l->other[i] + 1))
			return false;
		/* Its end must not need what comes after our beginning. */
		if (l->other[i] >= c->s->at[u] && clock_of(c, u, l->other[i])[holder] > since)
			return false;
	}
	return true;
}

/* Must a write of another thread come between the write (@w, @at) of @x and what has @clock? */
static bool overwritten(const struct hd_closure *c, const uint32_t *clock, uint32_t x, uint32_t w,
			uint32_t at)
{
	const struct hd_lanes *l = &c->p->writes;

	for (uint32_t k = l->lane_of[x]; k < l->lane_of[x + 1]; k++) {
		uint32_t u = l->lanes[k].thread;
		uint32_t i = hd_lane_from(l, &l->lanes[k], clock[u]);
		const uint32_t *between;

		if (u == w || i == l->lanes[k].first)
			continue;
		between = hd_closure_clock(c, u, l->at[i - 1]);
		if (between && between[w] > at)
			return true;
	}
	return false;
}

/*
 * Has the read at (@t, @at) a source already: a write of its value that must come before it
 * and is the last such of its thread, or the value that is there, if nothing must come between?
 */
static bool has_source(const struct hd_closure *c, uint32_t t, uint32_t at,
		       const struct hd_operation *op)
{
	const struct hd_lanes *l = &c->p->writes;
	const uint32_t *clock = clock_of(c, t, at);
	bool written = false;

	for (uint32_t k = l->lane_of[op->object]; k < l->lane_of[op->object + 1]; k++) {
		uint32_t u = l->lanes[k].thread;
		uint32_t i = hd_lane_from(l, &l->lanes[k], clock[u]);

		if (i == l->lanes[k].first || l->at[i - 1] < c->s->at[u])
			continue;
		written = true;
		if (hd_operation(c->p, u, l->at[i - 1])->value == op->value &&
		    !overwritten(c, clock, op->object, u, l->at[i - 1]))
			return true;
	}
	return !written && c->s->value[op->object] == op->value;
}

/* The first write in @lane that could be the source of a read of @value from @from on. */
static uint32_t first_source(const struct hd_closure *c, const struct hd_lane *lane, uint32_t from,
			     uint64_t value)
{
	const struct hd_lanes *l = &c->p->writes;

	for (uint32_t i = hd_lane_from(l, lane, from); i < lane->end; i++) {
		if (l->at[i] >= c->bound[lane->thread])
			break;
		if (hd_operation(c->p, lane->thread, l->at[i])->value == value)
			return l->at[i];
	}
	return HD_NOWHERE;
}

/*
 * One of the writes of its value comes before the read. In each thread the first that is not
 * already before it is the one with the least clock.
 */
static bool find_source(struct hd_closure *c, uint32_t t, uint32_t at,
			const struct hd_operation *op)
{
	const struct hd_lanes *l = &c->p->writes;
	bool any = false;

	if (has_source(c, t, at, op))
		return true;
	for (uint32_t k = l->lane_of[op->object]; k < l->lane_of[op->object + 1]; k++) {
		uint32_t u = l->lanes[k].thread, i;
		const uint32_t *clock;

		if (u == t)
			continue;
		i = first_source(c, &l->lanes[k], clock_of(c, t, at)[u], op->value);
		if (i == HD_NOWHERE)
			continue;
		if (!extend(c, u, i + 1))
			return true;
		clock = clock_of(c, u, i);
		if (clock[t] > at)
			continue; /* it needs the read */
		for (uint32_t w = 0; w < c->p->nthreads; w++) {
			uint32_t n = w == u ? i + 1 : clock[w];

			if (!any || n < c->least[w])
				c->least[w] = n;
		}
		any = true;
	}
	if (any)
		join(c, clock_of(c, t, at), c->least);
	return any;
}

/*
 * Can a write of its value come before the read (@t, @at) and not before the write of
 * thread @w that has @clock?
 */
static bool has_later_source(const struct hd_closure *c, uint32_t t, uint32_t at,
			     const struct hd_operation *op, const uint32_t *clock, uint32_t w)
{
	const struct hd_lanes *l = &c->p->writes;

	for (uint32_t k = l->lane_of[op->object]; k < l->lane_of[op->object + 1]; k++) {
		uint32_t u = l->lanes[k].thread;
		uint32_t i = first_source(c, &l->lanes[k], clock[u] + (u == w), op->value);
		const uint32_t *known;

		if (i == HD_NOWHERE || (u == t && i > at))
			continue;
		known = hd_closure_clock(c, u, i);
		if (!known || known[t] <= at)
			return true;
	}
	return false;
}

/*
 * A read that is part of any solution comes before a write of another value after which no
 * write of its own value can come before it. In each thread all writes from some
 * one on are such, because what comes before them only grows.
 */
static void before_other_values(struct hd_closure *c, uint32_t t, uint32_t at,
				const struct hd_operation *op)
{
	const struct hd_lanes *l = &c->p->writes;

	for (uint32_t k = l->lane_of[op->object]; k < l->lane_of[op->object + 1]; k++) {
		uint32_t u = l->lanes[k].thread, low, high, i, end;

		if (u == t)
			continue;
		low = hd_lane_from(l, &l->lanes[k], clock_of(c, t, at)[u]);
		end = high = hd_lane_from(l, &l->lanes[k], c->known[u]);
		while (low < high) {
			uint32_t mid = low + (high - low) / 2;

			if (has_later_source(c, t, at, op, clock_of(c, u, l->at[mid]), u))
				low = mid + 1;
			else
				high = mid;
		}
		for (i = low; i < end; i++)
			if (hd_operation(c->p, u, l->at[i])->value != op->value)
				break;
		if (i < end && l->at[i] < c->bound[u]) {
			uint32_t *clock = clock_of(c, u, l->at[i]);

			if (clock[t] < at + 1) {
				clock[t] = at + 1;
				c->changed = true;
			}
			join(c, clock, clock_of(c, t, at));
		}
	}
}

/*
 * A release that is part of any solution: what must have been locked before it by others must
 * have been unlocked before its acquire.
 */
static bool sections_apart(struct hd_closure *c, uint32_t t, uint32_t at,
			   const struct hd_operation *op)
{
	const struct hd_lanes *l = &c->p->sections;
	uint32_t since = HD_NOWHERE;

	for (uint32_t k = l->lane_of[op->object]; k < l->lane_of[op->object + 1]; k++)
		if (l->lanes[k].thread == t) {
			uint32_t i = hd_lane_from(l, &l->lanes[k], at);

			if (i > l->lanes[k].first)
				since = l->at[i - 1];
		}
	if (since == HD_NOWHERE || since < c->s->at[t])
		return true;
	for (uint32_t k = l->lane_of[op->object]; k < l->lane_of[op->object + 1]; k++) {
		uint32_t u = l->lanes[k].thread, i;

		if (u == t)
			continue;
		i = hd_lane_from(l, &l->lanes[k], clock_of(c, t, at)[u]);
		if (i == l->lanes[k].first || l->other[--i] < c->s->at[u])
			continue;
		if (op->shared && hd_operation(c->p, u, l->at[i])->shared)
			continue;
		if (l->other[i] == HD_NOWHERE || !require(c, t, since, u, l->other[i] + 1))
			return false;
	}
	return true;
}

/* The order that the goal asks for. */
static bool after_previous(struct hd_closure *c, uint32_t t, uint32_t at)
{
	for (size_t i = c->s->reached ? c->s->reached : 1; i < c->aim->norder; i++)
		if (c->aim->order[i].thread == t && c->aim->order[i].at == at)
			return require(c, t, at, c->aim->order[i - 1].thread,
				       c->aim->order[i - 1].at + 1);
	return true;
}

static bool after_fork(struct hd_closure *c, uint32_t t, uint32_t at, uint32_t forked)
{
	return c->p->fork_thread[forked] == HD_NOWHERE ||
	       require(c, t, at, c->p->fork_thread[forked], c->p->fork_at[forked] + 1);
}

static bool apply_rules(struct hd_closure *c, uint32_t t, uint32_t at)
{
	const struct hd_operation *op = hd_operation(c->p, t, at);

	if (c->s->stopped[t])
		return false;
	if (at > c->s->at[t])
		join(c, clock_of(c, t, at), clock_of(c, t, at - 1));
	else if (!at && !after_fork(c, t, at, t))
		return false;
	if (!after_previous(c, t, at) || !follow(c, t, at))
		return false;
	switch (op->kind) {
	case HD_STEP_ACQUIRE:
		return others_release(c, t, at, op->object, op->shared, t, at);
	case HD_STEP_RELEASE:
		return at >= c->need[t] || sections_apart(c, t, at, op);
	case HD_STEP_READ:
		if (at == c->aim->loose[t] || (c->aim->ignore_values && !op->firm))
			return true;
		if (!find_source(c, t, at, op))
			return false;
		if (at < c->need[t] && !c->gave_up)
			before_other_values(c, t, at, op);
		return true;
	case HD_STEP_JOIN:
		return !c->s->stopped[op->object] && after_fork(c, t, at, op->object) &&
		       require(c, t, at, op->object, hd_length(c->p, op->object));
	default:
		return true;
	}
}

/* Locks that a thread holds where it must stand at the end keep the others out. */
static bool locks_at_end(struct hd_closure *c, struct hd_target target)
{
	const struct hd_lanes *l = &c->p->sections;

	for (uint32_t o = 0; o < c->p->in->nlocks; o++)
		for (uint32_t k = l->lane_of[o]; k < l->lane_of[o + 1]; k++) {
			const struct hd_lane *lane = &l->lanes[k];
			uint32_t i = hd_lane_from(l, lane, target.at);

			if (lane->thread != target.thread || i == lane->first)
				continue;
			i--;
			if (l->other[i] < target.at)
				continue;
			if (!others_release(c, HD_NOWHERE, 0, o,
					    hd_operation(c->p, lane->thread, l->at[i])->shared,
					    lane->thread, l->at[i]))
				return false;
		}
	return true;
}

static bool apply_goal(struct hd_closure *c)
{
	for (size_t i = c->s->reached; i < c->aim->norder; i++)
		if (!require(c, HD_NOWHERE, 0, c->aim->order[i].thread, c->aim->order[i].at + 1))
			return false;
	for (size_t i = 0; i < c->aim->nnext; i++) {
		uint32_t t = c->aim->next[i].thread;

		if (c->s->stopped[t] || !require(c, HD_NOWHERE, 0, t, c->aim->next[i].at) ||
		    !after_fork(c, HD_NOWHERE, 0, t))
			return false;
	}
	if (!follow(c, HD_NOWHERE, 0))
		return false;
	for (size_t i = 0; i < c->aim->nnext; i++)
		if (!locks_at_end(c, c->aim->next[i]))
			return false;
	return true;
}

/* The thread whose operation at its cursor was observed first; HD_NOWHERE: all are through. */
static uint32_t earliest(const struct hd_closure *c)
{
	uint32_t best = HD_NOWHERE, step = HD_NOWHERE;

	for (uint32_t t = 0; t < c->p->nthreads; t++)
		if (c->cursor[t] < c->known[t] && c->cursor[t] < c->bound[t]) {
			uint32_t s = hd_operation(c->p, t, c->cursor[t])->step;

			if (s < step) {
				step = s;
				best = t;
			}
		}
	return best;
}

/*
 * Apply the rules once to every operation that has a clock, in the observed order: most of what
 * must come before something was before it then, so that news travels far in one pass.
 */
static void pass(struct hd_closure *c)
{
	uint32_t t, n = 0;

	memcpy(c->cursor, c->s->at, c->p->nthreads * sizeof(*c->cursor));
	while (!c->gave_up && (t = earliest(c)) != HD_NOWHERE) {
		if (!apply_rules(c, t, c->cursor[t]) && !c->gave_up) {
			c->bound[t] = c->cursor[t];
			c->changed = true;
		}
		c->cursor[t]++;
		if (++n % LOOKS_AT_CLOCK == 0 && hd_seconds() > c->deadline)
			c->gave_up = true;
	}
}

bool hd_closure_run(struct hd_closure *c)
{
	c->gave_up = false;
	memcpy(c->known, c->s->at, c->p->nthreads * sizeof(*c->known));
	memcpy(c->need, c->s->at, c->p->nthreads * sizeof(*c->need));
	memcpy(c->bound, c->aim->bound, c->p->nthreads * sizeof(*c->bound));
	do {
		c->changed = false;
		if (!apply_goal(c))
			return c->gave_up;
		pass(c);
	} while (c->changed && !c->gave_up);
	return true;
}

uint64_t hd_closure_left(const struct hd_closure *c)
{
	uint64_t n = 0;

	for (uint32_t t = 0; t < c->p->nthreads; t++)
		n += c->need[t] - c->s->at[t];
	return n;
}
