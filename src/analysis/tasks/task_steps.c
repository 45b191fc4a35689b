#include "task_steps.h"

#include <stdlib.h>

#include "common/array.h"
#include "common/hash.h"
#include "trace/event_meaning.h"

/* An event that means something new is to be thought of here. */
#pragma GCC diagnostic error "-Wswitch"
#pragma GCC diagnostic error "-Wswitch-enum"

/*
 * Points that a set may have: what constructs of tasks order is exact up to the first; of what only
 * this run ordered (counters that every task changes) little is worth remembering.
 */
#define MANY 4096
#define FEW  HD_KNOWN_FEW

/* Operations of atomics, semaphores and the like that end a step. Beyond, more is ordered than must be. */
#define BORROWED 65536

/* An object that is synchronised through: what must be over for whoever waits for it. */
struct object {
	hd_known known;
	uint32_t level; /* the highest of those */
};

bool hd_steps_init(struct hd_steps *s)
{
	*s = (struct hd_steps){ .objects = { .record_size = sizeof(struct object) } };
	return hd_task_table_init(&s->tasks) && hd_dpst_init(&s->tree);
}

void hd_steps_free(struct hd_steps *s)
{
	hd_task_table_free(&s->tasks);
	hd_dpst_free(&s->tree);
	hd_knowns_free(&s->knowns);
	hd_map_free(&s->of_finish);
	hd_map_free(&s->live);
	hd_map_free(&s->finishes);
	hd_map_free(&s->phases);
	hd_map_free(&s->next_phase);
	hd_map_free(&s->first_phase);
	hd_map_free(&s->part_of);
	hd_map_free(&s->units_of);
	hd_map_free(&s->known_before);
	hd_map_free(&s->known_behind);
	hd_map_free(&s->known_at);
	hd_owned_free(&s->owned);
	hd_intern_free(&s->constructs);
	hd_addr_map_free(&s->objects, NULL);
	*s = (struct hd_steps){ 0 };
}

static bool fail(struct hd_steps *s)
{
	s->failed = true;
	return false;
}

/* --- tasks --- */

static struct hd_task *new_task(struct hd_steps *s, uint32_t thread, hd_dpst_id root)
{
	struct hd_task *t = hd_task_table_add(&s->tasks, thread, root);

	if (t)
		t->level = s->top;
	else
		fail(s);
	return t;
}

static struct hd_task *task_again(struct hd_steps *s, uint32_t number)
{
	struct hd_task *t = hd_task_table_get(&s->tasks, number, &s->tree);

	if (!t)
		fail(s);
	return t;
}

/* The task that was over last is in nobody's hands any more. */
static void retire(struct hd_steps *s)
{
	struct hd_task *t = hd_task_record(&s->tasks, s->ended)->live;

	s->ended = 0;
	s->latest = s->latest == t ? NULL : s->latest;
	if (t)
		hd_task_table_retire(&s->tasks, t);
}

/* The first thread is the root; one that nobody made runs beside everything. */
struct hd_task *hd_steps_task(struct hd_steps *s, uint32_t thread)
{
	uint32_t number;

	if (s->latest && s->latest->thread == thread)
		return s->latest;
	number = hd_steps_number(s, thread);
	if (number)
		s->latest = task_again(s, number);
	else if (hd_task_table_end(&s->tasks) == 1)
		s->latest = new_task(s, thread, HD_DPST_ROOT);
	else
		s->latest = new_task(s, thread, hd_dpst_add(&s->tree, HD_DPST_ROOT, HD_DPST_ASYNC));
	return s->latest;
}

/* What @t does next has at least @level. */
static bool raise_level(struct hd_steps *s, struct hd_task *t, uint32_t level)
{
	if (level <= t->level)
		return true;
	t->level = level;
	if (level > s->top)
		s->top = level;
	return !t->step || hd_known_set_level(&s->knowns, t->step, level) || fail(s);
}

/* The innermost finish that @t is in. */
static hd_dpst_id finish_of(const struct hd_steps *s, const struct hd_task *t)
{
	hd_dpst_id n = t->at;

	while (n != t->base && hd_dpst_kind(&s->tree, n) != HD_DPST_FINISH)
		n = s->tree.nodes[n].parent;
	return n != t->base || n == HD_DPST_ROOT ? n : t->finish;
}

/* What was joined is for all that @t does next: also where that is no step of its own. */
static bool take_joined(struct hd_steps *s, struct hd_task *t)
{
	return !t->njoined || hd_steps_now(s, t);
}

static bool count_live(struct hd_steps *s, hd_dpst_id finish, int change)
{
	uint64_t live = hd_map_get(&s->live, finish);

	live = (live ? live : 1) + (uint64_t)(int64_t)change;
	return hd_map_set(&s->live, finish, live ? live : 1) || fail(s);
}

static bool spawn(struct hd_steps *s, struct hd_task *t, const struct hd_event *ev)
{
	struct hd_task_record *made;
	struct hd_task *child;

	if (!take_joined(s, t))
		return false;
	t->step = 0;
	s->ordered += t->units != 0; /* a task out of a unit: two steps do not stand for all */
	/* FORK and TASK_SPAWN may both tell of it. */
	if (hd_steps_number(s, (uint32_t)ev->value))
		return true;
	child = new_task(s, (uint32_t)ev->value, hd_dpst_add(&s->tree, t->at, HD_DPST_ASYNC));
	if (!child)
		return false;
	child->finish = finish_of(s, t);
	child->known = t->known;
	child->level = t->level;
	made = hd_task_record(&s->tasks, child->number);
	made->parent = t->thread;
	made->pc = ev->pc;
	made->ctx = ev->ctx;
	return count_live(s, child->finish, 1);
}

/* Of phases of a team, the first. */
static hd_dpst_id first_phase(const struct hd_steps *s, hd_dpst_id n)
{
	hd_dpst_id first = (hd_dpst_id)hd_map_get(&s->first_phase, n);

	return first ? first : n;
}

/* The UNIT that @t is in; 0: none. */
static hd_dpst_id unit_of(const struct hd_steps *s, const struct hd_task *t)
{
	hd_dpst_id n = t->at;

	if (!t->units)
		return 0;
	while (n != t->base && n != HD_DPST_ROOT && hd_dpst_kind(&s->tree, n) != HD_DPST_UNIT)
		n = s->tree.nodes[n].parent;
	return hd_dpst_kind(&s->tree, n) == HD_DPST_UNIT ? n : 0;
}

/* What stands for @t in sets: the unit that it is in, or itself. */
static hd_dpst_id node_of(const struct hd_steps *s, const struct hd_task *t)
{
	hd_dpst_id unit = unit_of(s, t);

	return unit ? unit : t->root;
}

/*
 * The node of @t, if it has run pools outside of @scope: when it ends, the tree does not say that these are over, where
 * something in it did. Else 0.
 */
static hd_dpst_id pools_outside(const struct hd_steps *s, const struct hd_task *t, hd_dpst_id scope)
{
	return t->pool_part && t->pool_part < scope ? node_of(s, t) : 0;
}

/* All pools in @scope, which @t leaves, are before what it does next by the tree. */
static void forget_pools(struct hd_task *t, hd_dpst_id scope)
{
	if (t->pool_part >= scope)
		t->pool_part = 0;
	if (t->pooled >= scope)
		t->pooled = t->pool_part; /* it may have left that one, too */
}

/*
 * @known is for whoever ends finish @n, or the one around it if nobody waits at its end. That one is after all in
 * it: what of these must be over before anything needs no word, but for @pools (hd_known_outside).
 */
static bool leave_to_finish(struct hd_steps *s, hd_dpst_id n, hd_known known, hd_dpst_id pools)
{
	hd_known all;

	while (n != HD_DPST_ROOT && hd_dpst_kind(&s->tree, n) != HD_DPST_FINISH)
		n = s->tree.nodes[n].parent;
	known = hd_known_outside(&s->knowns, known, &s->tree, n, pools);
	n = first_phase(s, n);
	all = hd_known_join(&s->knowns, (hd_known)hd_map_get(&s->of_finish, n), known, MANY,
			    s->tree.count);
	return (!s->knowns.failed && (!all || hd_map_set(&s->of_finish, n, all))) || fail(s);
}

/* Nobody waits at the end of finish @n. */
static bool make_scope(struct hd_steps *s, hd_dpst_id n)
{
	hd_known known = (hd_known)hd_map_get(&s->of_finish, n);

	hd_dpst_make_scope(&s->tree, n);
	if (!known)
		return true;
	hd_map_set(&s->of_finish, n, 0);
	return leave_to_finish(s, n, known, 0);
}

static bool task_over(struct hd_steps *s, struct hd_task *t)
{
	if (t->over)
		return true;
	if (!take_joined(s, t))
		return false;
	t->over = true;
	s->ended = t->number;
	t->at = t->base; /* a finish that was left open waits for nobody any more */
	t->step = 0;
	if (t->known && !leave_to_finish(s, t->finish, t->known, 0))
		return false;
	return count_live(s, t->finish, -1);
}

/* --- finish --- */

static bool begin_finish(struct hd_steps *s, struct hd_task *t, uint64_t number)
{
	hd_dpst_id n = hd_dpst_add(&s->tree, t->at, HD_DPST_FINISH);

	if (!n || !hd_map_set(&s->finishes, number, n))
		return fail(s);
	t->at = n;
	t->step = 0;
	return true;
}

/* The node of finish @number among those that @t has open; the innermost, if there is none. */
static hd_dpst_id open_finish(const struct hd_steps *s, const struct hd_task *t, uint64_t number)
{
	hd_dpst_id n = t->at, wanted = (hd_dpst_id)hd_map_get(&s->finishes, number);

	while (n != t->base && n != wanted)
		n = s->tree.nodes[n].parent;
	return n != t->base ? n : t->at;
}

/* Where the tree has task @number. */
static hd_dpst_id base_of(const struct hd_steps *s, uint32_t number)
{
	const struct hd_task_record *r = hd_task_record(&s->tasks, number);

	return r->live ? r->live->base : r->root;
}

static bool end_finish(struct hd_steps *s, struct hd_task *t, const struct hd_event *ev)
{
	hd_dpst_id n = open_finish(s, t, ev->value);
	size_t left = 0;

	t->step = 0;
	hd_map_set(&s->finishes, ev->value, 0);
	if (n == t->base)
		return true; /* one that was never opened */
	for (; t->at != n; t->at = s->tree.nodes[t->at].parent) {
		if (!make_scope(s, t->at)) /* left open: nobody has waited in it */
			return false;
	}
	t->at = s->tree.nodes[n].parent;
	if (ev->arg || hd_map_get(&s->live, n) > 1) {
		s->ordered += ev->arg != 2; /* 2: nobody waits for it, now or later */
		return make_scope(s, n);
	}
	t->known = hd_known_join(&s->knowns, t->known, (hd_known)hd_map_get(&s->of_finish, n), MANY,
				 s->tree.count);
	for (size_t i = 0; i < t->njoined; i++) {
		hd_dpst_id child = base_of(s, t->joined[i]);

		if (hd_dpst_depth(&s->tree, child) <= hd_dpst_depth(&s->tree, n) ||
		    hd_dpst_meet(&s->tree, child, n).lca != n)
			t->joined[left++] = t->joined[i];
	}
	t->njoined = left;
	/* What was to be over before tasks in it, they have left to it. */
	t->known = hd_known_outside(&s->knowns, t->known, &s->tree, n, pools_outside(s, t, n));
	forget_pools(t, n);
	hd_map_set(&s->live, n, 0);
	hd_map_set(&s->of_finish, n, 0);
	return (raise_level(s, t, s->top) && !s->knowns.failed) || fail(s);
}

/* --- order beside the tree --- */

/* The step that @t is in, which must be over for whoever waits for what it does now. */
static hd_known point(struct hd_steps *s, struct hd_task *t, size_t limit)
{
	hd_dpst_id step = hd_steps_now(s, t);

	if (limit == MANY || unit_of(s, t))
		return hd_known_of_node(&s->knowns, node_of(s, t), step);
	return hd_known_with(&s->knowns, t->known, t->number, step, limit, s->tree.count);
}

/* What @t has run of pools comes before what it does from now on. */
static void settle_pools(struct hd_steps *s, struct hd_task *t)
{
	hd_dpst_id step = hd_steps_now(s, t);

	t->known = hd_known_join(&s->knowns, t->known,
				 hd_known_of_pools(&s->knowns, node_of(s, t), step), MANY,
				 s->tree.count);
	t->step = 0;
	t->pooled = 0;
	s->ordered++;
}

void hd_steps_take(struct hd_steps *s, struct hd_task *t)
{
	if (unit_of(s, t) > t->pooled) /* not if it is around the region that the pool was in */
		return;
	t->took = s->tree.count;
	if (t->pooled)
		settle_pools(s, t);
}

static bool learn(struct hd_steps *s, struct hd_task *t, hd_known what, size_t limit)
{
	hd_known all = hd_known_join(&s->knowns, t->known, what, limit, s->tree.count);

	if (all == t->known)
		return !s->knowns.failed || fail(s);
	t->known = all;
	if (t->step && !hd_map_set(&s->knowns.of_step, t->step, all))
		return fail(s);
	return !s->knowns.failed || fail(s);
}

static bool join(struct hd_steps *s, struct hd_task *t, uint32_t thread)
{
	uint32_t other = hd_steps_number(s, thread);
	struct hd_task *child;

	t->step = 0;
	if (!other || other == t->number)
		return true;
	if (!HD_ROOM(t->joined, t->joined_room, t->njoined + 1))
		return fail(s);
	t->joined[t->njoined++] = other;
	child = hd_task_record(&s->tasks, other)->live;
	return (!child || task_over(s, child)) && raise_level(s, t, s->top);
}

/* Take over what joined tasks did, unless the tree knows: they were in a finish that ended. */
static bool settle(struct hd_steps *s, struct hd_task *t, hd_dpst_id here)
{
	hd_dpst_id unit = unit_of(s, t);
	hd_known what;

	for (size_t i = 0; i < t->njoined; i++) {
		struct hd_dpst_meeting m = hd_dpst_meet(&s->tree, base_of(s, t->joined[i]), here);
		struct hd_task *child;

		if (hd_dpst_kind(&s->tree, m.towards_a) == HD_DPST_FINISH &&
		    m.towards_a < m.towards_b)
			continue;
		s->ordered++;
		child = task_again(s, t->joined[i]);
		if (!child)
			return false;
		what = point(s, child, MANY);
		/* Made outside of the unit that @t is in? */
		if (unit && hd_dpst_depth(&s->tree, m.lca) < hd_dpst_depth(&s->tree, unit))
			what = hd_known_for_own(&s->knowns, what);
		t->known = hd_known_join(&s->knowns, t->known, what, MANY, s->tree.count);
	}
	t->njoined = 0;
	return !s->knowns.failed || fail(s);
}

hd_dpst_id hd_steps_new_step(struct hd_steps *s, struct hd_task *t)
{
	hd_dpst_id here = hd_dpst_add(&s->tree, t->at, HD_DPST_STEP);

	if (!here) {
		fail(s);
		return 0;
	}
	if (t->njoined && !settle(s, t, here))
		return 0;
	if (t->known && !hd_map_set(&s->knowns.of_step, here, t->known)) {
		fail(s);
		return 0;
	}
	if (!hd_known_set_level(&s->knowns, here, t->level)) {
		fail(s);
		return 0;
	}
	s->nsteps++;
	t->step = here;
	return here;
}

static bool put(struct hd_steps *s, struct hd_task *t, uint64_t addr, size_t limit, bool replace)
{
	struct object *o = hd_addr_map_get(&s->objects, addr ? addr : 1);

	if (!o)
		return fail(s);
	o->level = replace || o->level < t->level ? t->level : o->level;
	o->known = hd_known_join(&s->knowns, replace ? 0 : o->known, point(s, t, limit), limit,
				 s->tree.count);
	return !s->failed && (!s->knowns.failed || fail(s));
}

static bool get(struct hd_steps *s, struct hd_task *t, uint64_t addr, size_t limit)
{
	const struct object *o = hd_addr_map_find(&s->objects, addr ? addr : 1);

	hd_steps_take(s, t);
	if (!o)
		return true;
	return raise_level(s, t, limit == MANY ? o->level + 1 : s->top) &&
	       learn(s, t, o->known, limit);
}

static bool construct(struct hd_steps *s, struct hd_task *t, const struct hd_event *ev, bool gives)
{
	bool once = ev->op == HD_OP_FUTURE_PUT; /* an earlier one was of another future here */
	bool ok = !gives || put(s, t, ev->addr, MANY, once);

	s->ordered++;
	t->step = 0; /* what is learnt now is for the next */
	return ok && (gives || get(s, t, ev->addr, MANY));
}

static uint64_t phase_key(uint64_t phaser, uint64_t phase)
{
	return hd_hash_pair(phaser, phase * HD_HASH_DEGSKI);
}

/* --- phases of a team --- */

/* The FINISH that is the present phase for @t, a thread of a team. */
static hd_dpst_id team_phase(const struct hd_steps *s, const struct hd_task *t)
{
	return hd_dpst_kind(&s->tree, t->at) == HD_DPST_ASYNC ? s->tree.nodes[t->at].parent : t->at;
}

static bool next_team_phase(struct hd_steps *s, struct hd_task *t)
{
	hd_dpst_id now = team_phase(s, t), next, part;

	if (now == HD_DPST_ROOT || now == t->base)
		return true; /* a barrier outside of regions: a file that somebody made up */
	next = (hd_dpst_id)hd_map_get(&s->next_phase, now);
	if (!next) {
		next = hd_dpst_add(&s->tree, s->tree.nodes[now].parent, HD_DPST_FINISH);
		if (!next || !hd_map_set(&s->next_phase, now, next) ||
		    !hd_map_set(&s->first_phase, next, first_phase(s, now)))
			return fail(s);
	}
	part = hd_dpst_add(&s->tree, next, HD_DPST_ASYNC);
	if (!part || !hd_map_set(&s->part_of, part, t->number))
		return fail(s);
	if (t->at == t->base) /* else it is the one that met the region */
		t->base = part;
	t->at = part;
	t->known = hd_known_join(
		&s->knowns,
		hd_known_outside(&s->knowns, t->known, &s->tree, now, pools_outside(s, t, now)),
		(hd_known)hd_map_get(&s->of_finish, first_phase(s, now)), MANY, s->tree.count);
	forget_pools(t, now);
	return !s->knowns.failed || fail(s);
}

/* What one of the team knows is for all of them behind the barrier. */
static bool come_to_barrier(struct hd_steps *s, struct hd_task *t)
{
	hd_dpst_id now = team_phase(s, t);

	return !t->known || now == HD_DPST_ROOT || now == t->base ||
	       leave_to_finish(s, now, t->known, pools_outside(s, t, now));
}

/* The one that met the region is back in it, behind all phases. */
static bool leave_team(struct hd_steps *s, struct hd_task *t)
{
	hd_dpst_id now = team_phase(s, t);
	hd_known learnt = (hd_known)hd_map_get(&s->of_finish, first_phase(s, now));

	if (now == HD_DPST_ROOT || now == t->base)
		return true;
	t->at = s->tree.nodes[now].parent;
	if (learnt)
		t->known = hd_known_join(&s->knowns, t->known, learnt, MANY, s->tree.count);
	return !s->knowns.failed || fail(s);
}

/* --- units --- */

/*
 * What a unit has learnt is not for the next one, which knows what was known before all of them; but for memory
 * of the thread's own, and for what comes behind them.
 */
static bool unit_begin(struct hd_steps *s, struct hd_task *t, hd_dpst_id scope)
{
	hd_known behind = (hd_known)hd_map_get(&s->known_behind, scope);

	t->known = (hd_known)hd_map_get(&s->known_before, scope);
	if (behind)
		t->known = hd_known_join(&s->knowns, t->known, hd_known_for_own(&s->knowns, behind),
					 MANY, s->tree.count);
	t->at = hd_dpst_add(&s->tree, scope, HD_DPST_UNIT);
	if (!t->at || (t->known && !hd_map_set(&s->known_at, scope, t->known)))
		return fail(s);
	return !s->knowns.failed || fail(s);
}

static bool unit_over(struct hd_steps *s, struct hd_task *t, hd_dpst_id scope)
{
	hd_known behind = (hd_known)hd_map_get(&s->known_behind, scope), learnt;

	if (!take_joined(s, t))
		return false;
	t->step = 0;
	if (t->known == (hd_known)hd_map_get(&s->known_at, scope))
		return true;
	learnt = hd_known_for_all(&s->knowns, t->known,
				  (hd_known)hd_map_get(&s->known_before, scope));
	behind = hd_known_join_units(&s->knowns, behind, learnt, &s->tree, scope, MANY);
	return (!s->knowns.failed && hd_map_set(&s->known_behind, scope, behind)) || fail(s);
}

/* The innermost finish or task around what @t does now: of a thread of a team, its part of the phase. */
static hd_dpst_id part_of(const struct hd_steps *s, const struct hd_task *t)
{
	hd_dpst_id n = t->at;

	while (hd_dpst_kind(&s->tree, n) != HD_DPST_FINISH &&
	       hd_dpst_kind(&s->tree, n) != HD_DPST_ASYNC)
		n = s->tree.nodes[n].parent;
	return n;
}

static bool units_begin(struct hd_steps *s, struct hd_task *t, uint64_t number, bool anybodys)
{
	bool pool = anybodys && t->took <= part_of(s, t);
	hd_dpst_id scope = hd_dpst_add(&s->tree, t->at, pool ? HD_DPST_POOL : HD_DPST_SCOPE);

	if (!take_joined(s, t))
		return false;
	t->step = 0;
	if (!scope || !hd_map_set(&s->units_of, number, scope) ||
	    (t->known && !hd_map_set(&s->known_before, scope, t->known)))
		return fail(s);
	if (pool && !t->pool_part)
		t->pool_part = part_of(s, t);
	t->units++;
	s->owned.wanted = true;
	return true;
}

static bool units_over(struct hd_steps *s, struct hd_task *t, hd_dpst_id scope)
{
	if (!unit_over(s, t, scope))
		return false;
	t->known =
		hd_known_join(&s->knowns, (hd_known)hd_map_get(&s->known_before, scope),
			      (hd_known)hd_map_get(&s->known_behind, scope), MANY, s->tree.count);
	t->at = s->tree.nodes[scope].parent;
	if (hd_dpst_kind(&s->tree, scope) == HD_DPST_POOL)
		t->pooled = part_of(s, t);
	t->units--;
	return !s->knowns.failed || fail(s);
}

static bool unit(struct hd_steps *s, struct hd_task *t, const struct hd_event *ev)
{
	hd_dpst_id scope = (hd_dpst_id)hd_map_get(&s->units_of, ev->value);

	t->step = 0;
	if (hd_unit_is_over(ev->arg)) {
		if (scope && t->units && !units_over(s, t, scope))
			return false;
		if (ev->arg == HD_UNIT_LEFT && t->pooled)
			settle_pools(s, t);
		return !s->failed;
	}
	if (scope ? !unit_over(s, t, scope)
		  : !units_begin(s, t, ev->value, ev->arg == HD_UNIT_ANYBODYS))
		return false;
	return unit_begin(s, t, (hd_dpst_id)hd_map_get(&s->units_of, ev->value));
}

static bool construct_event(struct hd_steps *s, struct hd_task *t, const struct hd_event *ev)
{
	t->step = 0; /* the next one is in it */
	return hd_within_note(&t->within, &s->constructs, ev, s->tree.count) || fail(s);
}

static bool team_event(struct hd_steps *s, struct hd_task *t, const struct hd_event *ev)
{
	t->step = 0;
	if (ev->op == HD_OP_PHASER_SIGNAL) /* of tasks the tree knows */
		return ev->arg != HD_TEAM_BARRIER || come_to_barrier(s, t);
	if (!raise_level(s, t, s->top))
		return false;
	return ev->arg == HD_TEAM_LAST ? leave_team(s, t) : next_team_phase(s, t);
}

/* A phase is over when all have signalled it, and after the one before. */
static bool phase(struct hd_steps *s, struct hd_task *t, const struct hd_event *ev)
{
	uint64_t key = phase_key(ev->addr, ev->value);
	hd_known known = (hd_known)hd_map_get(&s->phases, key);
	bool ok = true;

	s->ordered++;
	if (!known)
		known = (hd_known)hd_map_get(&s->phases, phase_key(ev->addr, ev->value - 1));
	if (ev->op == HD_OP_PHASER_SIGNAL) {
		known = hd_known_join(&s->knowns, known, point(s, t, MANY), MANY, s->tree.count);
		ok = hd_map_set(&s->phases, key, known);
	} else {
		t->step = 0;
		ok = raise_level(s, t, s->top) && learn(s, t, known, MANY);
	}
	t->step = 0;
	return (ok && !s->knowns.failed && !s->failed) || fail(s);
}

/* What comes next is a step of its own; but not without end, where atomics are changed in a loop. */
static bool end_borrowed(struct hd_steps *s, struct hd_task *t)
{
	if (s->borrowed > BORROWED)
		return true;
	if (!take_joined(s, t))
		return false;
	t->step = 0;
	return true;
}

/*
 * What the taker did before is not behind the giver, and what the giver does next is not before the taker: a
 * step ends here.
 */
static bool borrow(struct hd_steps *s, struct hd_task *t, uint64_t addr, bool gives, bool takes)
{
	s->borrowed++;
	if (takes && (!end_borrowed(s, t) || !get(s, t, addr, FEW)))
		return false;
	return !gives || (put(s, t, addr, FEW, false) && end_borrowed(s, t));
}

static bool atomic(struct hd_steps *s, struct hd_task *t, const struct hd_event *ev)
{
	/* With fences about, any of them may order. */
	bool releases = s->fences || ev->arg == __ATOMIC_RELEASE || ev->arg == __ATOMIC_ACQ_REL ||
			ev->arg == __ATOMIC_SEQ_CST;
	bool acquires = s->fences || (ev->arg != __ATOMIC_RELAXED && ev->arg != __ATOMIC_RELEASE);
	bool stores = ev->op == HD_OP_ATOMIC_STORE || ev->op == HD_OP_ATOMIC_RMW;
	bool loads = ev->op != HD_OP_ATOMIC_STORE;

	if (!(releases && stores) && !(acquires && loads))
		return true;
	return borrow(s, t, ev->addr, releases && stores, acquires && loads);
}

/* Whoever takes learns what the giver knew. */
static bool thread_sync(struct hd_steps *s, struct hd_task *t, const struct hd_event *ev)
{
	switch (hd_op_way(ev->op)) {
	case HD_WAY_GIVES:
		return borrow(s, t, ev->addr, true, false);
	case HD_WAY_TAKES:
		return borrow(s, t, ev->addr, false, true);
	case HD_WAY_NONE:
	case HD_WAY_RENEWS:
		return true;
	}
	return true;
}

static bool thread_event(struct hd_steps *s, struct hd_task *t, const struct hd_event *ev)
{
	if (ev->op == HD_OP_THREAD_END)
		return task_over(s, t);
	if (ev->op == HD_OP_THREAD_BEGIN)
		t->young = true;
	return true;
}

static bool heap_event(struct hd_steps *s, struct hd_task *t, const struct hd_event *ev)
{
	if (ev->op == HD_OP_FREE)
		hd_owned_free_block(&s->owned, ev->addr, ev->value);
	/* The first one is of a borrowed stack, which is a task's own anyway. */
	else if (!t->young && !hd_owned_alloc(&s->owned, ev->addr, ev->value))
		return fail(s);
	else
		t->young = false;
	hd_addr_map_forget(&s->objects, ev->addr, ev->value, NULL);
	return true;
}

static bool task_event(struct hd_steps *s, struct hd_task *t, const struct hd_event *ev)
{
	switch ((enum hd_task_op)ev->op) {
	case HD_TASK_OP_TASK_SPAWN:
		s->saw_tasks = true;
		return spawn(s, t, ev);
	case HD_TASK_OP_TASK_END:
		return task_over(s, t);
	case HD_TASK_OP_FINISH_BEGIN:
		s->saw_tasks = true;
		return begin_finish(s, t, ev->value);
	case HD_TASK_OP_FINISH_END:
		return end_finish(s, t, ev);
	case HD_TASK_OP_TASK_BEGIN:
	case HD_TASK_OP_ISOLATED_BEGIN:
	case HD_TASK_OP_ISOLATED_END:
	case HD_TASK_OP_PERMIT:
	case HD_TASK_OP_UNPERMIT:
		return true;
	}
	return true;
}

static bool work_event(struct hd_steps *s, struct hd_task *t, const struct hd_event *ev)
{
	switch ((enum hd_team_op)ev->op) {
	case HD_TEAM_OP_OWN:
		return hd_owned_range(&s->owned, ev->addr, ev->value, ev->arg) || fail(s);
	case HD_TEAM_OP_UNIT:
		return unit(s, t, ev);
	case HD_TEAM_OP_CONSTRUCT:
		return construct_event(s, t, ev);
	case HD_TEAM_OP_ITERATION:
		return construct_event(s, t, ev) && unit(s, t, ev);
	case HD_TEAM_OP_CLAIM:
		return true;
	}
	return true;
}

bool hd_steps_event(struct hd_steps *s, const struct hd_event *ev)
{
	struct hd_task *t = hd_steps_task(s, ev->thread);
	bool gives = hd_op_way(ev->op) == HD_WAY_GIVES;

	if (!t || s->failed)
		return false;
	if (s->ended && s->ended != t->number)
		retire(s);
	switch (hd_op_about(ev->op)) {
	case HD_ABOUT_THREAD:
		return thread_event(s, t, ev);
	case HD_ABOUT_CHILD:
		return gives ? spawn(s, t, ev) : join(s, t, (uint32_t)ev->value);
	case HD_ABOUT_HEAP:
		return heap_event(s, t, ev);
	case HD_ABOUT_FUTURE:
	case HD_ABOUT_BARRIER:
		return construct(s, t, ev, gives);
	case HD_ABOUT_PHASER:
		return ev->arg >= HD_TEAM_BARRIER ? team_event(s, t, ev) : phase(s, t, ev);
	case HD_ABOUT_COND:
	case HD_ABOUT_SEM:
	case HD_ABOUT_ONCE:
	case HD_ABOUT_MARK:
		return thread_sync(s, t, ev);
	case HD_ABOUT_ATOMIC:
		return atomic(s, t, ev);
	case HD_ABOUT_FENCE:
		s->fences = true;
		return true;
	case HD_ABOUT_TASK:
		return task_event(s, t, ev);
	case HD_ABOUT_TEAM:
		return work_event(s, t, ev);
	case HD_ABOUT_NOTHING:
	case HD_ABOUT_MEMORY:
	case HD_ABOUT_LOCK: /* locks exclude; they do not order */
	case HD_ABOUT_CODE:
	case HD_ABOUT_RUN:
	case HD_ABOUT_FINDING:
		return true;
	}
	return true;
}

/* --- questions --- */

bool hd_steps_ordered_beside(struct hd_steps *s, hd_dpst_id a, hd_dpst_id b)
{
	hd_known known = s->knowns.of_step.count ? (hd_known)hd_map_get(&s->knowns.of_step, b) : 0;
	struct hd_steps_after *after;
	bool over;

	if (!known)
		return false;
	after = &s->after[hd_hash_bits((uint64_t)known << 32 | a, HD_STEPS_AFTER_LOG)];
	if (after->known == known && after->step == a && after->own == s->tree.own &&
	    after->scopes == s->tree.scopes)
		return after->over;
	over = hd_known_has(&s->knowns, known, &s->tree, a);
	if (over || s->borrowed <= BORROWED)
		*after = (struct hd_steps_after){ known, a, s->tree.scopes, s->tree.own, over };
	return over;
}

bool hd_steps_parallel(struct hd_steps *s, hd_dpst_id a, hd_dpst_id b)
{
	return hd_dpst_parallel(&s->tree, a, b) && !hd_steps_ordered_beside(s, a, b);
}

uint32_t hd_steps_task_of(const struct hd_steps *s, hd_dpst_id step)
{
	hd_dpst_id root = hd_dpst_task(&s->tree, step);
	uint32_t number = s->part_of.count ? (uint32_t)hd_map_get(&s->part_of, root) : 0;

	return number ? number : hd_task_table_at(&s->tasks, root);
}

struct hd_within hd_steps_within(const struct hd_steps *s, hd_dpst_id step)
{
	uint32_t task = hd_steps_task_of(s, step);

	return task ? hd_task_table_within(&s->tasks, task, &s->constructs, step)
		    : (struct hd_within){ 0 };
}
