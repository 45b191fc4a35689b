#include "hb.h"

#include <stdlib.h>

#include "common/array.h"
#include "addr_map.h"
#include "trace/event_meaning.h"

/* An event that means something new is to be thought of here. */
#pragma GCC diagnostic error "-Wswitch"
#pragma GCC diagnostic error "-Wswitch-enum"

/* A clock in both relations. */
struct pair {
	struct hd_vclock full, weak;
};

struct thread {
	struct pair now;
	struct pair fence; /* what a relaxed store passes on: the clock at the last release fence */
	struct pair seen;  /* what relaxed loads have read: an acquire fence makes it known */
	struct pair wake_up; /* from whoever notified us */
	/* Of the atomic operation to come, as PLACE has it. */
	uint64_t reads, writes;
	bool behind;
	uint64_t waits_on; /* condition variable */
	uint32_t slot;	   /* 0: none yet */
	bool ended;
};

/* Something that threads synchronise by. Which clocks are used depends on what it is. */
struct object {
	struct pair released;  /* locks: exclusive; semaphores, once, ...: all releases */
	struct pair shared;    /* locks: by readers */
	struct pair rounds[2]; /* barriers, by parity of the round */
	uint32_t round[2];
	uint32_t by; /* the slot of whoever released last and alone; 0: none */
};

/*
 * Where atomic operations begin. What a load acquires is kept once for all of its bytes; where operations of
 * other sizes touch some of them, for each byte: a load acquires what the last store to any of its bytes
 * gave.
 */
struct location {
	struct pair last;
	uint32_t size; /* the longest; 0: none yet */
	bool divided;  /* its bytes have their own */
};

/* The threads that had a slot, one after the other. */
struct slot {
	struct holder {
		uint32_t first; /* time */
		uint32_t thread;
	} * holders;
	uint32_t n, cap;
	uint32_t last_time; /* of the last holder, once it has been joined */
	bool free;
};

struct hd_hb {
	struct thread *threads; /* by number */
	uint32_t nthreads;
	struct slot *slots; /* from 1 */
	uint32_t nslots;
	uint32_t first_free; /* no slot below is free */
	uint32_t unforked;   /* threads that nobody forked */
	struct hd_addr_map objects;
	struct hd_addr_map atomics; /* struct location */
	struct hd_addr_map bytes;   /* struct pair: of those that locations share */
	uint32_t sizes;		    /* that atomic operations had; all are bits */
	bool odd; /* or other ones, or at addresses that are no multiples of them */
	struct hd_addr_map writes; /* the same of each write, by the name that PLACE has for it */
};

/* ---- pairs ---------------------------------------------------------------- */

static bool pair_join(struct pair *into, const struct pair *from)
{
	return hd_vc_join(&into->full, &from->full) && hd_vc_join(&into->weak, &from->weak);
}

static bool pair_copy(struct pair *into, const struct pair *from)
{
	return hd_vc_copy(&into->full, &from->full) && hd_vc_copy(&into->weak, &from->weak);
}

static void pair_clear(struct pair *p)
{
	hd_vc_clear(&p->full);
	hd_vc_clear(&p->weak);
}

static void pair_free(void *p)
{
	hd_vc_free(&((struct pair *)p)->full);
	hd_vc_free(&((struct pair *)p)->weak);
}

static void location_free(void *p)
{
	pair_free(&((struct location *)p)->last);
}

static void object_free(void *p)
{
	struct object *o = p;

	pair_free(&o->released);
	pair_free(&o->shared);
	pair_free(&o->rounds[0]);
	pair_free(&o->rounds[1]);
}

/* ---- threads and slots ------------------------------------------------------ */

static struct thread *thread_at(struct hd_hb *hb, uint32_t number)
{
	if (!HD_ROOM_ZEROED(hb->threads, hb->nthreads, (size_t)number + 1))
		return NULL;
	return &hb->threads[number];
}

/* A slot whose last holder's end @creator knows of, else a new one. */
static uint32_t choose_slot(struct hd_hb *hb, const struct thread *creator)
{
	struct slot *s;

	for (uint32_t i = hb->first_free; creator && i < hb->nslots; i++) {
		s = &hb->slots[i];
		if (s->free && hd_vc_get(&creator->now.weak, i) >= s->last_time)
			return i;
		if (!s->free && i == hb->first_free)
			hb->first_free++;
	}
	s = realloc(hb->slots, (hb->nslots + 1) * sizeof(*s));
	if (!s)
		return 0;
	hb->slots = s;
	s[hb->nslots] = (struct slot){ 0 };
	return hb->nslots++;
}

static bool give_slot(struct hd_hb *hb, uint32_t number, const struct thread *creator)
{
	struct thread *t = &hb->threads[number];
	uint32_t slot = choose_slot(hb, creator), first;
	struct slot *s = &hb->slots[slot];

	if (!slot)
		return false;
	first = s->last_time + 1;
	if (s->n == s->cap) {
		uint32_t cap = s->cap ? 2 * s->cap : 2;
		struct holder *h = realloc(s->holders, cap * sizeof(*h));

		if (!h)
			return false;
		s->holders = h;
		s->cap = cap;
	}
	s->holders[s->n++] = (struct holder){ .first = first, .thread = number };
	s->free = false;
	t->slot = slot;
	return hd_vc_set(&t->now.full, slot, first) && hd_vc_set(&t->now.weak, slot, first);
}

/* The thread of an event; one that nobody forked has been there from the start. */
static struct thread *make_known(struct hd_hb *hb, uint32_t number)
{
	struct thread *t = thread_at(hb, number);

	if (t && !t->slot) {
		hb->unforked++;
		return give_slot(hb, number, NULL) ? t : NULL;
	}
	return t;
}

static inline struct thread *known(struct hd_hb *hb, uint32_t number)
{
	return number < hb->nthreads && hb->threads[number].slot ? &hb->threads[number]
								 : make_known(hb, number);
}

struct hd_hb_now hd_hb_now(struct hd_hb *hb, uint32_t thread)
{
	const struct thread *t = known(hb, thread);

	if (!t)
		return (struct hd_hb_now){ 0 };
	return (struct hd_hb_now){ .full = &t->now.full, .weak = &t->now.weak, .slot = t->slot };
}

#define MANY_THREADS 64u /* to ask each of them takes too long */

bool hd_hb_is_history(const struct hd_hb *hb, uint32_t slot, uint32_t time)
{
	if (hb->unforked > 1 || hb->nthreads > MANY_THREADS)
		return false;
	for (uint32_t i = 0; i < hb->nthreads; i++) {
		const struct thread *t = &hb->threads[i];

		if (t->slot && !t->ended &&
		    hd_vc_get(&t->now.weak, slot) < (uint64_t)time + (t->slot == slot))
			return false;
	}
	return true;
}

uint32_t hd_hb_thread(const struct hd_hb *hb, uint32_t slot, uint32_t time)
{
	const struct slot *s = &hb->slots[slot];
	uint32_t i = s->n;

	while (i > 1 && s->holders[i - 1].first > time)
		i--;
	return i ? s->holders[i - 1].thread : 0;
}

/* What comes after is not part of what was just passed on. */
static bool tick(struct thread *t)
{
	uint32_t time = hd_vc_get(&t->now.full, t->slot) + 1;

	if (__builtin_expect(t->slot >= HD_VC_DENSE, 0))
		return hd_vc_set(&t->now.full, t->slot, time) &&
		       hd_vc_set(&t->now.weak, t->slot, time) && time != UINT32_MAX;
	t->now.full.at[t->slot] = time;
	t->now.weak.at[t->slot] = time;
	return time != UINT32_MAX;
}

static bool do_fork(struct hd_hb *hb, struct thread *t, uint32_t child)
{
	uint32_t me = (uint32_t)(t - hb->threads);
	struct thread *c = thread_at(hb, child);

	t = &hb->threads[me]; /* may have moved */
	if (!c || (!c->slot && !give_slot(hb, child, t)))
		return false;
	return pair_join(&c->now, &t->now) && tick(t);
}

static bool do_join(struct hd_hb *hb, struct thread *t, uint32_t child)
{
	uint32_t me = (uint32_t)(t - hb->threads);
	struct thread *c = known(hb, child);

	t = &hb->threads[me];
	if (!c || !pair_join(&t->now, &c->now))
		return false;
	if (c->slot && !c->ended) {
		hb->slots[c->slot].last_time = hd_vc_get(&c->now.full, c->slot);
		hb->slots[c->slot].free = true;
		if (c->slot < hb->first_free)
			hb->first_free = c->slot;
		c->ended = true;
		pair_free(&c->now);
		pair_free(&c->fence);
		pair_free(&c->seen);
		pair_free(&c->wake_up);
		c->now = c->fence = c->seen = c->wake_up = (struct pair){ 0 };
	}
	return true;
}

/* ---- locks ------------------------------------------------------------------ */

/* Locks order by the full relation only. */
static bool do_acquire(struct thread *t, const struct object *o, uint16_t mode)
{
	if (mode & HD_LOCK_AGAIN)
		return true;
	/* Who gave it back, or came after in the same slot, knows all that. */
	return (o->by == t->slot || hd_vc_join(&t->now.full, &o->released.full)) &&
	       ((mode & HD_LOCK_SHARED) || hd_vc_is_zero(&o->shared.full) ||
		hd_vc_join(&t->now.full, &o->shared.full));
}

static bool do_release(struct thread *t, struct object *o, uint16_t mode)
{
	bool ok;

	if (mode & HD_LOCK_AGAIN)
		return true;
	if (mode & HD_LOCK_SHARED) {
		ok = hd_vc_join(&o->shared.full, &t->now.full);
	} else {
		ok = hd_vc_copy(&o->released.full, &t->now.full);
		hd_vc_clear(&o->shared.full); /* all readers are before us */
		o->by = t->slot;
	}
	return ok && tick(t);
}

/* ---- waiting and waking ------------------------------------------------------- */

static bool do_notify(struct hd_hb *hb, struct thread *t, const struct hd_event *ev)
{
	const bool one = ev->op == HD_OP_NOTIFY;
	uint64_t i = one ? ev->value : 1, end = one ? ev->value + 1 : hb->nthreads;

	for (; i && i < end && i < hb->nthreads; i++) {
		struct thread *w = &hb->threads[i];

		if ((one || w->waits_on == ev->addr) && w != t && !pair_join(&w->wake_up, &t->now))
			return false;
	}
	return tick(t);
}

static bool do_wake(struct thread *t, const struct hd_event *ev)
{
	bool ok = !ev->value || pair_join(&t->now, &t->wake_up);

	pair_clear(&t->wake_up);
	t->waits_on = 0;
	return ok;
}

static bool do_barrier(struct thread *t, struct object *o, const struct hd_event *ev)
{
	unsigned parity = ev->value & 1;
	struct pair *round = &o->rounds[parity];

	if (ev->op == HD_OP_BARRIER_LEAVE)
		return pair_join(&t->now, round);
	/* A thread still in the round two before would keep this one from filling. */
	if (o->round[parity] != (uint32_t)ev->value) {
		o->round[parity] = (uint32_t)ev->value;
		pair_clear(round);
	}
	return pair_join(round, &t->now) && tick(t);
}

static bool do_pass_on(struct thread *t, struct object *o)
{
	o->by = 0;
	return pair_join(&o->released, &t->now) && tick(t);
}

/* ---- atomics ------------------------------------------------------------------- */

static bool acquires(int order)
{
	return order == __ATOMIC_ACQUIRE || order == __ATOMIC_CONSUME ||
	       order == __ATOMIC_ACQ_REL || order == __ATOMIC_SEQ_CST;
}

static bool releases(int order)
{
	return order == __ATOMIC_RELEASE || order == __ATOMIC_ACQ_REL || order == __ATOMIC_SEQ_CST;
}

static bool atomic_read(struct thread *t, const struct pair *x, int order)
{
	return pair_join(acquires(order) ? &t->now : &t->seen, x);
}

/*
 * A store starts a new release sequence, an RMW goes on with the one it read. Of
 * a relaxed one, only what was before the last release fence is passed on.
 */
static bool atomic_write(struct thread *t, struct pair *x, int order, bool rmw)
{
	const struct pair *out = releases(order) ? &t->now : &t->fence;

	return rmw ? pair_join(x, out) : pair_copy(x, out);
}

/* What comes of @x in @to, which is another. */
static bool pass_write(struct thread *t, struct pair *to, const struct pair *x, int order, bool rmw)
{
	return (!rmw || pair_copy(to, x)) && atomic_write(t, to, order, rmw);
}

/* By its place in modification order: it may read, or come before, what is not the newest. */
static bool do_placed(struct hd_hb *hb, struct thread *t, struct pair *newest,
		      const struct hd_event *ev)
{
	bool rmw = ev->op == HD_OP_ATOMIC_RMW, ok = true;
	struct pair *to = t->writes ? hd_addr_map_get(&hb->writes, t->writes) : NULL;
	struct pair *from = t->reads ? hd_addr_map_get(&hb->writes, t->reads) : newest;
	int order = ev->arg & 0x7fff;

	if ((t->writes && !to) || !from)
		return false;
	if (t->reads == 1) /* before all others: nobody gave anything */
		pair_clear(from);
	if (ev->op != HD_OP_ATOMIC_STORE)
		ok = atomic_read(t, from, order);
	if (ok && to) {
		ok = pass_write(t, to, from, order, rmw) && (t->behind || pair_copy(newest, to)) &&
		     (!releases(order) || tick(t));
	}
	return ok;
}

#define LONGEST 16u /* bytes of an atomic operation */

static uint32_t size_of(const struct hd_event *ev)
{
	return ev->size == 0 ? 1 : ev->size < LONGEST ? ev->size : LONGEST;
}

static bool divide(struct hd_hb *hb, struct location *x, uint64_t addr)
{
	for (uint32_t i = 0; !x->divided && i < x->size; i++) {
		struct pair *byte = hd_addr_map_get(&hb->bytes, addr + i);

		if (!byte || !pair_copy(byte, &x->last))
			return false;
	}
	x->divided = true;
	return true;
}

/* Divide all others that have one of these bytes. @any: whether there are some. */
static bool divide_others(struct hd_hb *hb, uint64_t addr, uint32_t size, bool *any)
{
	uint64_t step = hb->odd ? 1 : hb->sizes & -hb->sizes;
	uint64_t at = hb->odd && addr > LONGEST ? addr - LONGEST : addr & ~(uint64_t)(LONGEST - 1);

	if (hb->sizes == size && !hb->odd)
		return true;
	for (; at < addr + size; at += step) {
		struct location *other =
			at && at != addr ? hd_addr_map_find(&hb->atomics, at) : NULL;

		if (!other || at + other->size <= addr)
			continue;
		*any = true;
		if (!divide(hb, other, at))
			return false;
	}
	return true;
}

/* The location of an operation: it is known whether another one has some of its bytes. */
static struct location *locate(struct hd_hb *hb, uint64_t addr, uint32_t size)
{
	struct location *x = hd_addr_map_get(&hb->atomics, addr);
	bool divided;

	if (!x || x->size == size || (x->divided && x->size > size))
		return x;
	hb->odd |= (size & (size - 1)) || (addr & (size - 1));
	hb->sizes |= size;
	divided = x->size != 0;
	if ((divided && !divide(hb, x, addr)) || !divide_others(hb, addr, size, &divided))
		return NULL;
	x->divided = divided;
	x->size = size > x->size ? size : x->size;
	return x;
}

static bool do_bytes(struct hd_hb *hb, struct thread *t, const struct hd_event *ev)
{
	bool rmw = ev->op == HD_OP_ATOMIC_RMW, writes = rmw || ev->op == HD_OP_ATOMIC_STORE;
	struct pair *bytes[LONGEST];
	uint32_t n = size_of(ev);
	int order = ev->arg & 0x7fff;

	for (uint32_t i = 0; i < n; i++) {
		bytes[i] = hd_addr_map_get(&hb->bytes, ev->addr + i);
		if (!bytes[i])
			return false;
		if (ev->op != HD_OP_ATOMIC_STORE && !atomic_read(t, bytes[i], order))
			return false;
	}
	for (uint32_t i = 0; writes && i < n; i++) {
		if (!atomic_write(t, bytes[i], order, rmw))
			return false;
	}
	return !writes || !releases(order) || tick(t);
}

static bool do_atomic(struct hd_hb *hb, struct thread *t, const struct hd_event *ev)
{
	struct location *l;
	struct pair *x;
	int order = ev->arg & 0x7fff;
	bool ok;

	if (ev->op == HD_OP_PLACE) {
		t->reads = ev->value;
		t->writes = ev->value2;
		t->behind = ev->arg;
		return true;
	}
	l = locate(hb, ev->addr, size_of(ev));
	ok = l != NULL;
	x = ok ? &l->last : NULL;
	if (ok && l->divided) { /* the memory models have one order for those */
		t->reads = t->writes = 0;
		return do_bytes(hb, t, ev);
	}
	if (ok && (t->reads || t->writes)) {
		ok = do_placed(hb, t, x, ev);
		t->reads = t->writes = 0;
		return ok;
	}
	if (ok && ev->op != HD_OP_ATOMIC_STORE)
		ok = atomic_read(t, x, order);
	if (ok && (ev->op == HD_OP_ATOMIC_STORE || ev->op == HD_OP_ATOMIC_RMW)) {
		ok = atomic_write(t, x, order, ev->op == HD_OP_ATOMIC_RMW);
		if (ok && releases(order))
			ok = tick(t);
	}
	return ok;
}

static bool do_fence(struct thread *t, int order)
{
	bool ok = true;

	if (acquires(order))
		ok = pair_join(&t->now, &t->seen);
	if (ok && releases(order))
		ok = pair_copy(&t->fence, &t->now) && tick(t);
	return ok;
}

/* ---- events ---------------------------------------------------------------------- */

/* Condition variables: what wakes a thread is whoever notified it, if anybody did. */
static bool on_condition(struct hd_hb *hb, struct thread *t, const struct hd_event *ev)
{
	switch (hd_op_way(ev->op)) {
	case HD_WAY_GIVES:
		return do_notify(hb, t, ev);
	case HD_WAY_TAKES:
		return do_wake(t, ev);
	case HD_WAY_NONE:
		t->waits_on = ev->addr;
		return true;
	case HD_WAY_RENEWS:
		return true;
	}
	return true;
}

bool hd_hb_lock(struct hd_hb *hb, uint32_t thread, enum hd_op op, uint64_t lock, uint16_t mode)
{
	struct thread *t = known(hb, thread);
	struct object *o = t ? hd_addr_map_get(&hb->objects, lock) : NULL;

	if (!o)
		return false;
	return op == HD_OP_ACQUIRE ? do_acquire(t, o, mode) : do_release(t, o, mode);
}

bool hd_hb_new_time(struct hd_hb *hb, uint32_t thread)
{
	struct thread *t = known(hb, thread);

	return t && tick(t);
}

static bool on_lock(struct hd_hb *hb, const struct hd_event *ev)
{
	enum hd_way way = hd_op_way(ev->op);

	return (way != HD_WAY_GIVES && way != HD_WAY_TAKES) ||
	       hd_hb_lock(hb, ev->thread, ev->op, ev->addr, ev->arg);
}

static bool on_team(struct thread *t, enum hd_team_op op)
{
	switch (op) {
	/* These order nothing, but who asks later must be able to tell times apart. */
	case HD_TEAM_OP_CONSTRUCT:
	case HD_TEAM_OP_ITERATION:
		return tick(t);
	case HD_TEAM_OP_UNIT:
	case HD_TEAM_OP_OWN:
	case HD_TEAM_OP_CLAIM:
		return true;
	}
	return true;
}

static bool pass(struct thread *t, struct object *o, const struct hd_event *ev)
{
	if (!o)
		return false;
	if (hd_op_way(ev->op) == HD_WAY_GIVES)
		return do_pass_on(t, o);
	return pair_join(&t->now, &o->released);
}

bool hd_hb_event(struct hd_hb *hb, const struct hd_event *ev)
{
	struct thread *t = known(hb, ev->thread);
	struct object *o;

	if (!t)
		return false;
	switch (hd_op_about(ev->op)) {
	case HD_ABOUT_CHILD:
		return hd_op_way(ev->op) == HD_WAY_GIVES ? do_fork(hb, t, (uint32_t)ev->value)
							 : do_join(hb, t, (uint32_t)ev->value);
	case HD_ABOUT_LOCK:
		return on_lock(hb, ev);
	case HD_ABOUT_COND:
		return on_condition(hb, t, ev);
	case HD_ABOUT_BARRIER:
		o = hd_addr_map_get(&hb->objects, ev->addr);
		return o && do_barrier(t, o, ev);
	case HD_ABOUT_SEM:
	case HD_ABOUT_ONCE: /* who begins it comes after whoever ended it, too */
	case HD_ABOUT_MARK:
	case HD_ABOUT_FUTURE:
		return pass(t, hd_addr_map_get(&hb->objects, ev->addr), ev);
	case HD_ABOUT_PHASER:
		o = hd_addr_map_get(&hb->objects, ev->addr + ev->value % HD_PHASER_SPAN);
		return pass(t, o, ev);
	case HD_ABOUT_ATOMIC:
		return do_atomic(hb, t, ev);
	case HD_ABOUT_FENCE:
		return do_fence(t, ev->arg & 0x7fff);
	case HD_ABOUT_TEAM:
		return on_team(t, (enum hd_team_op)ev->op);
	case HD_ABOUT_NOTHING:
	case HD_ABOUT_THREAD:
	case HD_ABOUT_MEMORY:
	case HD_ABOUT_HEAP:
	case HD_ABOUT_CODE:
	case HD_ABOUT_TASK:
	case HD_ABOUT_RUN:
	case HD_ABOUT_FINDING:
		return true;
	}
	return true;
}

void hd_hb_forget(struct hd_hb *hb, uint64_t addr, uint64_t len)
{
	hd_addr_map_forget(&hb->objects, addr, len, object_free);
	hd_addr_map_forget(&hb->atomics, addr, len, location_free);
	hd_addr_map_forget(&hb->bytes, addr, len, pair_free);
}

struct hd_hb *hd_hb_new(void)
{
	struct hd_hb *hb = calloc(1, sizeof(*hb));

	if (!hb)
		return NULL;
	hb->nslots = hb->first_free = 1;
	hb->slots = calloc(1, sizeof(*hb->slots));
	hb->objects.record_size = sizeof(struct object);
	hb->atomics.record_size = sizeof(struct location);
	hb->bytes.record_size = sizeof(struct pair);
	hb->writes.record_size = sizeof(struct pair);
	if (hb->slots)
		return hb;
	free(hb);
	return NULL;
}

void hd_hb_free(struct hd_hb *hb)
{
	if (!hb)
		return;
	for (uint32_t i = 0; i < hb->nthreads; i++) {
		pair_free(&hb->threads[i].now);
		pair_free(&hb->threads[i].fence);
		pair_free(&hb->threads[i].seen);
		pair_free(&hb->threads[i].wake_up);
	}
	for (uint32_t i = 0; i < hb->nslots; i++)
		free(hb->slots[i].holders);
	hd_addr_map_free(&hb->objects, object_free);
	hd_addr_map_free(&hb->atomics, location_free);
	hd_addr_map_free(&hb->bytes, pair_free);
	hd_addr_map_free(&hb->writes, pair_free);
	free(hb->threads);
	free(hb->slots);
	free(hb);
}
