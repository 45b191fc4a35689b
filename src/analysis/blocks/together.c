#include "together.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/locks/lock_state.h"
#include "common/array.h"
#include "common/hash.h"
#include "trace/event_meaning.h"

#define NEAR	  4u /* variables that a thread used last, and its next access makes units with ... */
#define SOON	  8u /* ... if it comes so many accesses of the thread later, to shared ones */
#define LOCKS	  4u /* of an access that are remembered; who holds more has the outermost ones */
#define UNITS_MAX 16384u /* further ones are left out */
#define PER_PAIR  64u	 /* units of one pair of variables */
#define TOLD_MAX  24u
#define OFTEN	  5u /* percent of the uses that must be together */

/* How an address is used. */
enum { USED = 1, WRITTEN = 2, SHARED = 4, USER_SHIFT = 3 };

struct spot {
	uint64_t index;
	uint64_t number; /* of the thread's accesses to what is shared */
	struct hd_event event;
	hd_moment moment;
	struct hd_found_lock locks[LOCKS];
	uint64_t lock[LOCKS];  /* the identity of each ... */
	uint64_t taken[LOCKS]; /* ... and the event that took it */
	size_t nlocks;
};

struct unit {
	struct spot first, second;
	unsigned apart; /* accesses to others in between */
	uint32_t next;	/* of the same pair, plus 1; 0: none */
};

/* What a thread used last, the latest one first. */
struct recent {
	struct spot spots[NEAR];
	size_t n;
	uint64_t count;
};

struct pair {
	uint64_t x, y;
	uint64_t times;		/* that one of them was used soon after the other */
	uint32_t units, nunits; /* units: the first, plus 1 */
};

struct torn {
	const struct unit *one, *other;
	unsigned percent;
};

struct hd_together {
	hd_found_fn *fn;
	void *arg;
	struct hd_lock_state locks;
	struct hd_map uses;  /* address -> how it is used */
	struct hd_map times; /* address -> how often, if it is shared and written */
	struct hd_map known; /* hash of a unit's places -> 1 */
	struct hd_map pair_of;
	struct recent *recents; /* by the number of the thread here */
	size_t nrecents, recents_room;
	struct unit *units;
	size_t nunits, units_room;
	struct pair *pairs; /* [0] is unused */
	size_t npairs, pairs_room;
	struct torn *torn;
	size_t ntorn, torn_room;
	bool failed;
};

struct hd_together *hd_together_new(hd_found_fn *fn, void *arg)
{
	struct hd_together *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->fn = fn;
	t->arg = arg;
	t->npairs = 1;
	if (hd_lock_state_init(&t->locks))
		return t;
	free(t);
	return NULL;
}

void hd_together_free(struct hd_together *t)
{
	if (!t)
		return;
	hd_lock_state_free(&t->locks);
	hd_map_free(&t->uses);
	hd_map_free(&t->times);
	hd_map_free(&t->known);
	hd_map_free(&t->pair_of);
	free(t->recents);
	free(t->units);
	free(t->pairs);
	free(t->torn);
	free(t);
}

/* Blocks of bytes are no variables. */
static bool is_use(const struct hd_event *ev)
{
	return hd_op_is_access(ev->op) && !hd_op_is_range(ev->op) && ev->pc;
}

enum hd_err hd_together_learn(struct hd_together *t, const struct hd_event *events, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct hd_event *ev = &events[i];
		uint64_t was, now;

		if (!is_use(ev))
			continue;
		was = now = hd_map_get(&t->uses, ev->addr);
		if (!was)
			now = USED | (uint64_t)ev->thread << USER_SHIFT;
		else if (was >> USER_SHIFT != ev->thread)
			now |= SHARED;
		if (hd_op_is_write(ev->op))
			now |= WRITTEN;
		if (now != was && !hd_map_set(&t->uses, ev->addr, now))
			return HD_ERR_NOMEM;
	}
	return HD_OK;
}

/* ---- units -------------------------------------------------------------------------------- */

static struct recent *recent_of(struct hd_together *t, const struct hd_thread_locks *by)
{
	while (t->nrecents <= by->at) {
		if (!HD_ROOM(t->recents, t->recents_room, t->nrecents + 1))
			return NULL;
		t->recents[t->nrecents++] = (struct recent){ .n = 0 };
	}
	return &t->recents[by->at];
}

static struct spot spot_of(struct hd_together *t, const struct hd_thread_locks *by,
			   const struct hd_event *ev, uint64_t index)
{
	struct spot s = { .index = index,
			  .event = *ev,
			  .moment = hd_thread_locks_moment(&t->locks, by) };

	t->failed |= !s.moment;
	s.nlocks = hd_thread_locks_found(by, s.locks, LOCKS);
	for (size_t i = 0; i < s.nlocks; i++) {
		s.lock[i] = by->held[i].lock;
		s.taken[i] = by->held[i].index;
	}
	return s;
}

static uint64_t places(const struct spot *a, const struct spot *b)
{
	uint64_t hash = hd_hash_pair(hd_hash_pair(a->event.pc, b->event.pc),
				     hd_hash_pair(a->event.addr, b->event.addr));

	/* Before a fork or after a join the same code cannot be torn. */
	return hd_hash_pair(hash, hd_hash_pair(a->moment, b->moment));
}

static struct pair *pair_of(struct hd_together *t, uint64_t x, uint64_t y)
{
	uint64_t key = x < y ? hd_hash_pair(x, y) : hd_hash_pair(y, x);
	uint64_t at = hd_map_get(&t->pair_of, key);

	if (at)
		return &t->pairs[at];
	if (!HD_ROOM(t->pairs, t->pairs_room, t->npairs + 1) ||
	    !hd_map_set(&t->pair_of, key, t->npairs))
		return NULL;
	t->pairs[t->npairs] = (struct pair){ .x = x, .y = y };
	return &t->pairs[t->npairs++];
}

static void add_unit(struct hd_together *t, const struct spot *a, const struct spot *b,
		     unsigned apart)
{
	struct pair *p = pair_of(t, a->event.addr, b->event.addr);
	uint64_t key = places(a, b);

	if (!p) {
		t->failed = true;
		return;
	}
	p->times++;
	if (t->nunits == UNITS_MAX || p->nunits == PER_PAIR || hd_map_get(&t->known, key))
		return;
	if (!hd_map_set(&t->known, key, 1) || !HD_ROOM(t->units, t->units_room, t->nunits + 1)) {
		t->failed = true;
		return;
	}
	t->units[t->nunits++] =
		(struct unit){ .first = *a, .second = *b, .apart = apart, .next = p->units };
	p->units = (uint32_t)t->nunits;
	p->nunits++;
}

static bool overlap(const struct hd_event *a, const struct hd_event *b)
{
	return a->addr < b->addr + b->size && b->addr < a->addr + a->size;
}

/* It is the latest one now. */
static void remember(struct recent *r, const struct spot *s)
{
	size_t at = 0;

	while (at < r->n && r->spots[at].event.addr != s->event.addr)
		at++;
	if (at == NEAR)
		at--;
	else if (at == r->n)
		r->n++;
	memmove(&r->spots[1], &r->spots[0], at * sizeof(r->spots[0]));
	r->spots[0] = *s;
}

static void use(struct hd_together *t, const struct hd_event *ev, uint64_t index)
{
	const uint64_t both = SHARED | WRITTEN;
	struct hd_thread_locks *by;
	struct recent *r;
	struct spot s;

	if ((hd_map_get(&t->uses, ev->addr) & both) != both)
		return;
	by = hd_thread_locks(&t->locks, ev->thread);
	r = by ? recent_of(t, by) : NULL;
	if (!r || !hd_map_set(&t->times, ev->addr, hd_map_get(&t->times, ev->addr) + 1)) {
		t->failed = true;
		return;
	}
	s = spot_of(t, by, ev, index);
	s.number = ++r->count;
	for (size_t i = 0; i < r->n; i++) {
		if (s.number - r->spots[i].number <= SOON && !overlap(&r->spots[i].event, ev))
			add_unit(t, &r->spots[i], &s, (unsigned)i);
	}
	remember(r, &s);
}

/* What is freed or handed out is another variable from now on. */
static void forget(struct hd_together *t, const struct hd_event *heap)
{
	for (size_t i = 0; i < t->nrecents; i++) {
		struct recent *r = &t->recents[i];
		size_t n = 0;

		for (size_t k = 0; k < r->n; k++) {
			if (r->spots[k].event.addr - heap->addr >= heap->value)
				r->spots[n++] = r->spots[k];
		}
		r->n = n;
	}
}

enum hd_err hd_together_feed(struct hd_together *t, const struct hd_event *events, size_t n,
			     uint64_t first)
{
	for (size_t i = 0; i < n && !t->failed; i++) {
		struct hd_thread_locks *whose;

		if (is_use(&events[i])) {
			use(t, &events[i], first + i);
			continue;
		}
		if (hd_op_about(events[i].op) == HD_ABOUT_HEAP)
			forget(t, &events[i]);
		if (hd_lock_state_event(&t->locks, &events[i], first + i, &whose) &
		    HD_CHANGE_FAILED)
			t->failed = true;
	}
	return t->failed || hd_lock_state_failed(&t->locks) ? HD_ERR_NOMEM : HD_OK;
}

/* ---- what can be torn ----------------------------------------------------------------------- */

static bool is_shared_mode(const struct hd_found_lock *lock)
{
	return lock->mode & HD_LOCK_SHARED;
}

/* Does @s need a lock that @u holds from its first access to its second? */
static bool is_shut_out(const struct unit *u, const struct spot *s)
{
	for (size_t i = 0; i < u->first.nlocks; i++) {
		bool held = false;

		for (size_t k = 0; k < u->second.nlocks; k++)
			held |= u->second.lock[k] == u->first.lock[i] &&
				u->second.taken[k] == u->first.taken[i];
		for (size_t k = 0; held && k < s->nlocks; k++) {
			if (s->lock[k] == u->first.lock[i] &&
			    !(is_shared_mode(&s->locks[k]) && is_shared_mode(&u->first.locks[i])))
				return true;
		}
	}
	return false;
}

static bool are_ordered(const struct hd_together *t, const struct spot *a, const struct spot *b)
{
	return hd_must_before(&t->locks.must, a->moment, b->moment) ||
	       hd_must_before(&t->locks.must, b->moment, a->moment);
}

static bool conflict(const struct spot *a, const struct spot *b)
{
	return hd_op_is_write(a->event.op) || hd_op_is_write(b->event.op);
}

/* Can all of @other come between the accesses of @one, and does that matter? */
static bool can_tear(const struct hd_together *t, const struct unit *one, const struct unit *other)
{
	bool same_way = other->first.event.addr == one->first.event.addr;
	const struct spot *x = same_way ? &other->first : &other->second;
	const struct spot *y = same_way ? &other->second : &other->first;

	return one->first.event.thread != other->first.event.thread && conflict(&one->first, x) &&
	       conflict(&one->second, y) && !are_ordered(t, &one->first, x) &&
	       !are_ordered(t, &one->second, y) && !is_shut_out(one, x) && !is_shut_out(one, y);
}

static bool is_new(struct hd_together *t, const struct unit *one, const struct unit *other)
{
	uint64_t key = hd_hash_pair(hd_hash_pair(one->first.event.pc, one->second.event.pc),
				    hd_hash_pair(other->first.event.pc, other->second.event.pc));

	if (hd_map_get(&t->known, ~key))
		return false;
	t->failed |= !hd_map_set(&t->known, ~key, 1);
	return true;
}

/* Of the uses of either, those soon after the other one. */
static unsigned percent(const struct hd_together *t, const struct pair *p)
{
	uint64_t all = hd_map_get(&t->times, p->x) + hd_map_get(&t->times, p->y);

	return all ? (unsigned)(100 * p->times / all) : 0;
}

static void match(struct hd_together *t, const struct pair *p)
{
	unsigned often = percent(t, p);

	if (often < OFTEN)
		return;
	for (uint32_t i = p->units; i; i = t->units[i - 1].next) {
		for (uint32_t k = p->units; k && !t->failed; k = t->units[k - 1].next) {
			const struct unit *one = &t->units[i - 1], *other = &t->units[k - 1];

			if (i == k || !can_tear(t, one, other) || !is_new(t, one, other))
				continue;
			if (!HD_ROOM(t->torn, t->torn_room, t->ntorn + 1))
				t->failed = true;
			else
				t->torn[t->ntorn++] = (struct torn){ one, other, often };
		}
	}
}

static unsigned apart(const struct torn *t)
{
	return t->one->apart + t->other->apart;
}

static int by_likelihood(const void *left, const void *right)
{
	const struct torn *a = left, *b = right;

	if (a->percent != b->percent)
		return a->percent > b->percent ? -1 : 1;
	if (apart(a) != apart(b))
		return apart(a) < apart(b) ? -1 : 1;
	if (a->one->first.index != b->one->first.index)
		return a->one->first.index < b->one->first.index ? -1 : 1;
	if (a->one->second.index != b->one->second.index)
		return a->one->second.index < b->one->second.index ? -1 : 1;
	if (a->other->first.index != b->other->first.index)
		return a->other->first.index < b->other->first.index ? -1 : 1;
	return a->other->second.index < b->other->second.index	 ? -1
	       : a->other->second.index > b->other->second.index ? 1
								 : 0;
}

static struct hd_found_access told(const char *role, const struct spot *s)
{
	return (struct hd_found_access){ .role = role,
					 .index = s->index,
					 .event = s->event,
					 .locks = s->locks,
					 .nlocks = s->nlocks };
}

static void tell(const struct hd_together *t, const struct torn *torn)
{
	static const char letters[16][5] = { "RRRR", "RRRW", "RRWR", "RRWW", "RWRR", "RWRW",
					     "RWWR", "RWWW", "WRRR", "WRRW", "WRWR", "WRWW",
					     "WWRR", "WWRW", "WWWR", "WWWW" };
	const struct spot *spots[] = { &torn->one->first, &torn->other->first, &torn->other->second,
				       &torn->one->second };
	struct hd_found_access accesses[4];
	struct hd_found found = { .kind = HD_KIND_PATTERN,
				  .addr = spots[0]->event.addr,
				  .size = spots[0]->event.size,
				  .group = -1,
				  .together = torn->percent,
				  .accesses = accesses,
				  .naccesses = 4 };
	unsigned which = 0;

	for (size_t i = 0; i < 4; i++) {
		accesses[i] = told(i == 0 ? "e1" : i == 3 ? "e2" : "f", spots[i]);
		which = which << 1 | hd_op_is_write(spots[i]->event.op);
	}
	found.pattern = letters[which];
	t->fn(t->arg, &found);
}

enum hd_err hd_together_finish(struct hd_together *t)
{
	for (size_t i = 1; i < t->npairs && !t->failed; i++)
		match(t, &t->pairs[i]);
	if (t->failed)
		return HD_ERR_NOMEM;
	if (t->ntorn)
		qsort(t->torn, t->ntorn, sizeof(*t->torn), by_likelihood);
	for (size_t i = 0; i < t->ntorn && i < TOLD_MAX; i++)
		tell(t, &t->torn[i]);
	return HD_OK;
}
