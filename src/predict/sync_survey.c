#include "sync_survey.h"

#include <stdlib.h>

#include "common/array.h"
#include "trace/event_meaning.h"

/* An event that means something new is to be thought of here. */
#pragma GCC diagnostic error "-Wswitch"
#pragma GCC diagnostic error "-Wswitch-enum"

/* Each notification says so to each wait: so many steps for one object, and no more. */
#define MAX_STEPS 4096

static struct hd_sync_object *object_of(struct hd_sync_survey *s, uint64_t addr)
{
	uint64_t number = hd_map_get(&s->numbers, addr);

	if (number)
		return &s->objects[number - 1];
	if (!HD_ROOM(s->objects, s->room, s->n + 1) || !hd_map_set(&s->numbers, addr, s->n + 1))
		return NULL;
	s->objects[s->n] = (struct hd_sync_object){ .fewest = UINT32_MAX };
	return &s->objects[s->n++];
}

static void take_semaphore(struct hd_sync_object *o, const struct hd_event *ev)
{
	bool post = ev->op == HD_OP_SEM_POST;
	uint32_t after = (uint32_t)ev->value, before = post ? after - 1 : after + 1;

	/* Another value than the last: it was made anew, or used by code that heddle did not see. */
	if (!o->semaphore)
		o->start = before;
	else if (o->permits != before)
		o->odd = true;
	if (post && !after)
		o->odd = true;
	o->semaphore = true;
	o->permits = after;
}

static void take_wait(struct hd_sync_object *o, const struct hd_event *ev)
{
	o->many_waiters |= o->waits && o->waiter != ev->thread;
	o->waiter = ev->thread;
	o->waits++;
}

/* Numbers of objects and threads are far below 2^32. */
static uint64_t user_of(const struct hd_sync_survey *s, const struct hd_event *ev)
{
	return (hd_map_get(&s->numbers, ev->addr) << 32) + ev->thread;
}

static bool enter_barrier(struct hd_sync_survey *s, const struct hd_event *ev)
{
	struct hd_sync_object *o = object_of(s, ev->addr);

	if (!o)
		return false;
	if (o->leaving) {
		if (o->entered < o->fewest)
			o->fewest = o->entered;
		o->entered = 0;
		o->round++;
		o->leaving = false;
	}
	o->entered++;
	o->users += !hd_map_get(&s->users, user_of(s, ev));
	return hd_map_set(&s->users, user_of(s, ev), o->round + 1ull);
}

/* Whoever enters after the first of its round has left is in the next. */
static void leave_barrier(struct hd_sync_survey *s, struct hd_sync_object *o,
			  const struct hd_event *ev)
{
	o->leaving |= hd_map_get(&s->users, user_of(s, ev)) == o->round + 1ull;
}

static void take_condition(struct hd_sync_object *o, const struct hd_event *ev)
{
	switch (hd_op_way(ev->op)) {
	case HD_WAY_NONE:
		take_wait(o, ev);
		break;
	case HD_WAY_GIVES:
		o->signals |= ev->op == HD_OP_NOTIFY;
		o->notifies++;
		break;
	case HD_WAY_TAKES: /* by nobody: it timed out, or woke for no reason */
		o->odd |= !ev->value || !o->notifies;
		break;
	case HD_WAY_RENEWS:
		break;
	}
}

/* What is done once and then is there for all. */
static void take_once(struct hd_sync_object *o, const struct hd_event *ev)
{
	switch (hd_op_way(ev->op)) {
	case HD_WAY_NONE:
		o->begins++;
		break;
	case HD_WAY_GIVES:
		o->puts++;
		break;
	case HD_WAY_TAKES:
		o->odd |= !o->puts;
		break;
	case HD_WAY_RENEWS:
		break;
	}
}

static bool take_barrier(struct hd_sync_survey *s, const struct hd_event *ev)
{
	struct hd_sync_object *o;

	if (hd_op_way(ev->op) == HD_WAY_GIVES)
		return enter_barrier(s, ev);
	o = object_of(s, ev->addr);
	if (o)
		leave_barrier(s, o, ev);
	return o;
}

/* A failed try, and what has no rule that is known. */
static bool take_odd(struct hd_sync_survey *s, const struct hd_event *ev)
{
	struct hd_sync_object *o = object_of(s, ev->addr);

	if (o)
		o->odd = true;
	return o;
}

/*
 * Of a lock the map has who holds it alone, above LOCK_HOLDER, and what was ever done with it. Only
 * what is done by others than the holder makes it something else than a lock.
 */
#define LOCK_GIVEN  1u /* by another than its holder */
#define LOCK_SHARED 2u
#define LOCK_TWICE  4u /* taken while it was held: it was made anew in between */
#define LOCK_HOLDER 8u

static bool take_lock(struct hd_sync_survey *s, const struct hd_event *ev)
{
	uint64_t was = hd_map_get(&s->locks, ev->addr), use = was % LOCK_HOLDER;
	uint64_t holder = was / LOCK_HOLDER, me = ev->thread + 1ull;

	if (ev->arg & HD_LOCK_AGAIN)
		return true;
	if (ev->arg & HD_LOCK_SHARED)
		return hd_map_set(&s->locks, ev->addr, was | LOCK_SHARED);
	if (hd_op_way(ev->op) == HD_WAY_TAKES)
		return hd_map_set(&s->locks, ev->addr,
				  me * LOCK_HOLDER + (use | (holder ? LOCK_TWICE : 0)));
	return hd_map_set(&s->locks, ev->addr, use | (holder && holder != me ? LOCK_GIVEN : 0));
}

static bool take_lock_event(struct hd_sync_survey *s, const struct hd_event *ev)
{
	switch (hd_op_way(ev->op)) {
	case HD_WAY_TAKES:
	case HD_WAY_GIVES:
		return take_lock(s, ev);
	case HD_WAY_NONE:
		return take_odd(s, ev);
	case HD_WAY_RENEWS:
		return true;
	}
	return true;
}

bool hd_sync_survey_take(struct hd_sync_survey *s, const struct hd_event *ev)
{
	struct hd_sync_object *o;

	switch (hd_op_about(ev->op)) {
	case HD_ABOUT_SEM:
		if ((o = object_of(s, ev->addr)))
			take_semaphore(o, ev);
		return o;
	case HD_ABOUT_COND:
		if ((o = object_of(s, ev->addr)))
			take_condition(o, ev);
		return o;
	case HD_ABOUT_ONCE:
	case HD_ABOUT_FUTURE:
		if ((o = object_of(s, ev->addr)))
			take_once(o, ev);
		return o;
	case HD_ABOUT_BARRIER:
		return take_barrier(s, ev);
	case HD_ABOUT_MARK:
	case HD_ABOUT_PHASER:
		return take_odd(s, ev);
	case HD_ABOUT_LOCK:
		return take_lock_event(s, ev);
	case HD_ABOUT_TEAM:
		return ev->op != HD_OP_CLAIM || take_odd(s, ev);
	case HD_ABOUT_NOTHING:
	case HD_ABOUT_THREAD:
	case HD_ABOUT_CHILD:
	case HD_ABOUT_MEMORY:
	case HD_ABOUT_HEAP:
	case HD_ABOUT_ATOMIC:
	case HD_ABOUT_FENCE:
	case HD_ABOUT_CODE:
	case HD_ABOUT_TASK:
	case HD_ABOUT_RUN:
	case HD_ABOUT_FINDING:
		return true;
	}
	return true;
}

void hd_sync_survey_free(struct hd_sync_survey *s)
{
	hd_map_free(&s->numbers);
	hd_map_free(&s->locks);
	hd_map_free(&s->users);
	free(s->objects);
}

const struct hd_sync_object *hd_sync_object(const struct hd_sync_survey *s, uint64_t addr)
{
	uint64_t number = hd_map_get(&s->numbers, addr);

	return number ? &s->objects[number - 1] : NULL;
}

enum hd_lock_use hd_sync_lock_use(const struct hd_sync_survey *s, uint64_t addr)
{
	uint64_t use = hd_map_get(&s->locks, addr) % LOCK_HOLDER;

	if (!(use & (LOCK_GIVEN | LOCK_TWICE)))
		return HD_USE_OWNED;
	return use == LOCK_GIVEN ? HD_USE_HANDED : HD_USE_ODD;
}

/* Memory may have been one kind of object first and another one later. */
static int kinds(const struct hd_sync_object *o)
{
	return o->semaphore + (o->waits || o->notifies) + (o->begins || o->puts) + !!o->users;
}

enum hd_sync_rule hd_sync_rule(const struct hd_sync_object *o)
{
	bool few = (uint64_t)o->waits * o->notifies <= MAX_STEPS;

	if (o->users && kinds(o) == 1) {
		uint32_t fewest = o->fewest < UINT32_MAX ? o->fewest : o->entered;

		return o->users > fewest ? HD_SYNC_MIXED_ROUND : HD_SYNC_ROUND;
	}
	if (o->odd || kinds(o) != 1)
		return HD_SYNC_CHAIN;
	if (o->semaphore)
		return HD_SYNC_COUNT;
	if (o->begins > 1 || o->puts > 1)
		return HD_SYNC_CHAIN;
	if (o->begins || o->puts)
		return HD_SYNC_ONCE;
	if (few)
		return o->signals && o->many_waiters ? HD_SYNC_WAKE_PAIR : HD_SYNC_WAKE;
	return HD_SYNC_PAIR;
}
