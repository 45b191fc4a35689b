#include "lock_state.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "trace/event_meaning.h"

/* An event that means something new is to be thought of here. */
#pragma GCC diagnostic error "-Wswitch"
#pragma GCC diagnostic error "-Wswitch-enum"

bool hd_lock_state_init(struct hd_lock_state *s)
{
	*s = (struct hd_lock_state){ .sets = hd_locksets_new(), .nlocks = 1 };
	if (s->sets)
		s->acqs = hd_acquisitions_new(s->sets);
	if (!s->acqs)
		hd_lock_state_free(s);
	return s->acqs != NULL;
}

void hd_lock_state_free(struct hd_lock_state *s)
{
	for (size_t i = 0; i < s->nthreads; i++) {
		free(s->threads[i]->places);
		free(s->threads[i]);
	}
	free(s->threads);
	free(s->lock_addrs);
	hd_map_free(&s->thread_of);
	hd_map_free(&s->lock_of);
	hd_map_free(&s->holders);
	hd_must_free(&s->must);
	hd_acquisitions_free(s->acqs);
	hd_locksets_free(s->sets);
	*s = (struct hd_lock_state){ 0 };
}

bool hd_lock_state_failed(const struct hd_lock_state *s)
{
	return hd_acquisitions_failed(s->acqs);
}

struct hd_thread_locks *hd_thread_locks(struct hd_lock_state *s, uint32_t thread)
{
	struct hd_thread_locks *t;
	uint64_t at;

	if (s->latest && s->latest->thread == thread)
		return s->latest;
	at = hd_map_get(&s->thread_of, thread);
	if (at) {
		s->latest = s->threads[at - 1];
		return s->latest;
	}
	if (!HD_ROOM(s->threads, s->threads_room, s->nthreads + 1))
		return NULL;
	t = calloc(1, sizeof(*t));
	if (!t || !hd_map_set(&s->thread_of, thread, s->nthreads + 1)) {
		free(t);
		return NULL;
	}
	t->thread = thread;
	t->at = (uint32_t)s->nthreads;
	s->threads[s->nthreads++] = t;
	s->latest = t;
	return t;
}

hd_moment hd_thread_locks_moment(struct hd_lock_state *s, const struct hd_thread_locks *t)
{
	return hd_must_now(&s->must, t->at);
}

/* --- which lock is at an address --- */

static uint64_t lock_at(struct hd_lock_state *s, uint64_t addr)
{
	uint64_t lock = hd_map_get(&s->lock_of, addr);

	if (lock && s->lock_addrs[lock] == addr)
		return lock;
	if (!HD_ROOM(s->lock_addrs, s->locks_room, s->nlocks + 1) ||
	    !hd_map_set(&s->lock_of, addr, s->nlocks))
		return 0;
	s->lock_addrs[s->nlocks] = addr;
	return s->nlocks++;
}

static void forget_lock(struct hd_lock_state *s, uint64_t addr)
{
	uint64_t lock = hd_map_get(&s->lock_of, addr);

	/* The entry stays and names a lock that is nowhere: the next taking makes a new one. */
	if (lock)
		s->lock_addrs[lock] = 0;
}

static void forget_locks(struct hd_lock_state *s, uint64_t from, uint64_t len)
{
	if (len <= s->lock_of.count) {
		for (uint64_t i = 0; i < len; i++)
			forget_lock(s, from + i);
		return;
	}
	for (size_t i = 0; i < s->lock_of.slots; i++) {
		const struct hd_map_entry *e = &s->lock_of.entries[i];

		if (e->value && e->key - from < len)
			s->lock_addrs[e->value] = 0;
	}
}

/* --- taking and giving --- */

static struct hd_held_lock *find_held(struct hd_thread_locks *t, uint64_t addr)
{
	/* Given back in order, or in the reverse of it. */
	if (t->nheld && t->held[0].event.addr == addr)
		return &t->held[0];
	for (size_t i = t->nheld; i-- > 0;) {
		if (t->held[i].event.addr == addr)
			return &t->held[i];
	}
	return NULL;
}

static bool room_for_one(struct hd_thread_locks *t)
{
	size_t gone = (size_t)(t->held - t->places);

	if (gone > t->nheld) {
		memmove(t->places, t->held, t->nheld * sizeof(*t->held));
		gone = 0;
	}
	if (!HD_ROOM(t->places, t->room, gone + t->nheld + 1))
		return false;
	t->held = t->places + gone;
	return true;
}

static unsigned take(struct hd_lock_state *s, struct hd_thread_locks *t, const struct hd_event *ev,
		     uint64_t index)
{
	bool exclusive = !(ev->arg & HD_LOCK_SHARED);
	uint64_t holders = hd_map_get(&s->holders, ev->addr), lock;
	/* Most are held by nobody, which need not be looked for among many. */
	struct hd_held_lock *h = holders ? find_held(t, ev->addr) : NULL;

	if (h) {
		h->depth++;
		return HD_CHANGE_NONE;
	}
	lock = lock_at(s, ev->addr);
	if (!lock || !room_for_one(t) || !hd_map_set(&s->holders, ev->addr, holders + 1))
		return HD_CHANGE_FAILED;
	t->held[t->nheld++] = (struct hd_held_lock){
		.lock = lock, .depth = 1, .index = index, .exclusive = exclusive, .event = *ev
	};
	t->acq = hd_acq_take(s->acqs, t->acq, lock, exclusive);
	return HD_CHANGE_TAKEN;
}

/* Who gives back @addr: the thread itself, or, for a mutex given back by another, its holder. */
static struct hd_thread_locks *giver(struct hd_lock_state *s, struct hd_thread_locks *t,
				     uint64_t addr)
{
	if (find_held(t, addr))
		return t;
	for (size_t i = 0; i < s->nthreads; i++) {
		struct hd_held_lock *h = find_held(s->threads[i], addr);

		if (h && h->exclusive)
			return s->threads[i];
	}
	return NULL;
}

static unsigned give(struct hd_lock_state *s, struct hd_thread_locks *t, uint64_t addr,
		     struct hd_thread_locks **whose)
{
	struct hd_held_lock *h;
	uint64_t lock;

	t = giver(s, t, addr);
	if (!t)
		return HD_CHANGE_NONE;
	*whose = t;
	h = find_held(t, addr);
	if (--h->depth)
		return HD_CHANGE_NONE;
	lock = h->lock;
	hd_map_set(&s->holders, addr, hd_map_get(&s->holders, addr) - 1);
	t->nheld--;
	if (h == t->held)
		t->held++;
	else
		memmove(h, h + 1, (size_t)(t->held + t->nheld - h) * sizeof(*h));
	t->acq = hd_acq_give(s->acqs, t->acq, lock);
	return HD_CHANGE_GIVEN;
}

static unsigned fork_or_join(struct hd_lock_state *s, struct hd_thread_locks *t,
			     const struct hd_event *ev)
{
	struct hd_thread_locks *other = hd_thread_locks(s, (uint32_t)ev->value);
	bool ok;

	if (!other)
		return HD_CHANGE_FAILED;
	if (other == t)
		return HD_CHANGE_NONE;
	ok = ev->op == HD_OP_FORK ? hd_must_fork(&s->must, t->at, other->at)
				  : hd_must_join(&s->must, t->at, other->at);
	return ok ? HD_CHANGE_MOMENT : HD_CHANGE_FAILED;
}

/* ---- events --------------------------------------------------------------------------- */

static unsigned lock_event(struct hd_lock_state *s, struct hd_thread_locks *t,
			   const struct hd_event *ev, uint64_t index,
			   struct hd_thread_locks **whose)
{
	switch (hd_op_way(ev->op)) {
	case HD_WAY_TAKES:
		return take(s, t, ev, index);
	case HD_WAY_GIVES:
		return give(s, t, ev->addr, whose);
	case HD_WAY_RENEWS:
		forget_lock(s, ev->addr);
		return HD_CHANGE_NONE;
	case HD_WAY_NONE: /* it was not to be had */
		return HD_CHANGE_NONE;
	}
	return HD_CHANGE_NONE;
}

unsigned hd_lock_state_event(struct hd_lock_state *s, const struct hd_event *ev, uint64_t index,
			     struct hd_thread_locks **whose)
{
	struct hd_thread_locks *t = hd_thread_locks(s, ev->thread);

	*whose = t;
	if (!t)
		return HD_CHANGE_FAILED;
	switch (hd_op_about(ev->op)) {
	case HD_ABOUT_LOCK:
		return lock_event(s, t, ev, index, whose);
	case HD_ABOUT_CHILD:
		return fork_or_join(s, t, ev);
	case HD_ABOUT_HEAP:
		forget_locks(s, ev->addr, ev->value);
		return HD_CHANGE_NONE;
	case HD_ABOUT_NOTHING:
	case HD_ABOUT_THREAD:
	case HD_ABOUT_MEMORY:
	case HD_ABOUT_COND:
	case HD_ABOUT_BARRIER:
	case HD_ABOUT_SEM:
	case HD_ABOUT_ONCE:
	case HD_ABOUT_MARK:
	case HD_ABOUT_FUTURE:
	case HD_ABOUT_PHASER:
	case HD_ABOUT_ATOMIC:
	case HD_ABOUT_FENCE:
	case HD_ABOUT_CODE:
	case HD_ABOUT_TASK:
	case HD_ABOUT_TEAM:
	case HD_ABOUT_RUN:
	case HD_ABOUT_FINDING:
		return HD_CHANGE_NONE;
	}
	return HD_CHANGE_NONE;
}

size_t hd_thread_locks_found(const struct hd_thread_locks *t, struct hd_found_lock *out, size_t max)
{
	size_t n = t->nheld < max ? t->nheld : max;

	for (size_t i = 0; i < n; i++) {
		const struct hd_event *ev = &t->held[i].event;

		memset(&out[i], 0, sizeof(out[i])); /* compared as bytes */
		out[i].addr = ev->addr;
		out[i].pc = ev->pc;
		out[i].ctx = ev->ctx;
		out[i].mode = ev->arg;
	}
	return n;
}
