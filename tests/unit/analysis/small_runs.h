/*
 * Small random runs for tests: programs of a few threads with locks, one order in which they
 * can run, and which positions of the threads can be reached in any order.
 *
 * Every event has a pc of its own, (thread << 8) + position + 1, so every event is a site.
 */
#ifndef HD_TEST_SMALL_RUNS_H
#define HD_TEST_SMALL_RUNS_H

#include <stdbool.h>
#include <string.h>

#include "common/rng.h"
#include "trace/event.h"

#define THREADS_MAX 3
#define OPS_MAX	    16
#define LOCKS_MAX   3

enum op_kind { OP_READ, OP_WRITE, OP_TAKE, OP_GIVE, OP_FORK, OP_JOIN };

struct op {
	enum op_kind kind;
	unsigned what; /* location, lock or thread */
	bool shared;   /* of locks */
};

struct program {
	unsigned nthreads, n[THREADS_MAX];
	struct op ops[THREADS_MAX][OPS_MAX];
	int forked_by[THREADS_MAX], forked_at[THREADS_MAX]; /* -1: from the start */
};

struct run {
	struct hd_event events[THREADS_MAX * OPS_MAX];
	size_t n;
};

/* What the random programs are to have. */
struct wish {
	unsigned threads, ops, locks, locations;
	bool nested;	       /* locks are given back in the reverse order */
	bool modes;	       /* some are taken shared */
	bool forks;	       /* the first thread forks and may join the second */
	bool forks_under_lock; /* also while it holds something */
	bool busy;	       /* hardly anything but locks */
};

static inline void put_op(struct program *p, unsigned t, enum op_kind kind, unsigned what,
			  bool shared)
{
	p->ops[t][p->n[t]++] = (struct op){ kind, what, shared };
}

static inline void give_one(struct program *p, unsigned t, struct op *held, unsigned *nheld,
			    unsigned which)
{
	put_op(p, t, OP_GIVE, held[which].what, held[which].shared);
	memmove(&held[which], &held[which + 1], (--*nheld - which) * sizeof(*held));
}

static inline void take_one(struct program *p, unsigned t, const struct wish *w, struct hd_rng *r,
			    struct op *held, unsigned *nheld)
{
	unsigned lock = (unsigned)hd_rng_below(r, w->locks);
	bool shared = w->modes && hd_rng_below(r, 2);

	for (unsigned i = 0; i < *nheld; i++) {
		if (held[i].what == lock)
			return;
	}
	held[(*nheld)++] = (struct op){ OP_TAKE, lock, shared };
	put_op(p, t, OP_TAKE, lock, shared);
}

static inline void random_fork(struct program *p, const struct wish *w, struct hd_rng *r,
			       unsigned nheld, unsigned *stage)
{
	if (*stage > 1 || (nheld && !w->forks_under_lock) || hd_rng_below(r, 2))
		return;
	if (*stage == 0) {
		p->forked_by[1] = 0;
		p->forked_at[1] = (int)p->n[0];
	}
	put_op(p, 0, (*stage)++ ? OP_JOIN : OP_FORK, 1, false);
}

static inline void random_thread(struct program *p, unsigned t, const struct wish *w,
				 struct hd_rng *r)
{
	struct op held[LOCKS_MAX];
	unsigned nheld = 0, stage = 0, want = 1 + (unsigned)hd_rng_below(r, w->ops);
	unsigned takes = w->busy ? 4 : 3, gives = w->busy ? 7 : 5; /* of 8 */

	while (p->n[t] + nheld < want) {
		uint64_t dice = hd_rng_below(r, 8);

		if (w->forks && t == 0)
			random_fork(p, w, r, nheld, &stage);
		if (dice < takes && p->n[t] + nheld + 2 <= w->ops && w->locks)
			take_one(p, t, w, r, held, &nheld);
		else if (dice < gives && nheld)
			give_one(p, t, held, &nheld,
				 w->nested ? nheld - 1 : (unsigned)hd_rng_below(r, nheld));
		else
			put_op(p, t, dice & 1 ? OP_READ : OP_WRITE,
			       (unsigned)hd_rng_below(r, w->locations), false);
	}
	while (nheld)
		give_one(p, t, held, &nheld,
			 w->nested ? nheld - 1 : (unsigned)hd_rng_below(r, nheld));
}

static inline void random_program(struct program *p, const struct wish *w, struct hd_rng *r)
{
	memset(p, 0, sizeof(*p));
	p->nthreads = w->threads;
	for (unsigned t = 0; t < w->threads; t++)
		p->forked_by[t] = -1;
	for (unsigned t = 0; t < w->threads; t++)
		random_thread(p, t, w, r);
}

/* How often @t holds @lock after its first @pos events, for reading or for writing. */
static inline int holds(const struct program *p, unsigned t, unsigned pos, unsigned lock,
			bool shared)
{
	int n = 0;

	for (unsigned i = 0; i < pos; i++) {
		const struct op *o = &p->ops[t][i];

		if (o->what == lock && o->shared == shared)
			n += o->kind == OP_TAKE ? 1 : o->kind == OP_GIVE ? -1 : 0;
	}
	return n;
}

/* Does @by (at its position) hold @lock so that it cannot be taken now? */
static inline bool blocks(const struct program *p, const unsigned *pos, unsigned by, unsigned lock,
			  bool shared)
{
	return holds(p, by, pos[by], lock, false) || (!shared && holds(p, by, pos[by], lock, true));
}

/* Can @t run its next event? */
static inline bool can_run(const struct program *p, const unsigned *pos, unsigned t)
{
	const struct op *o = &p->ops[t][pos[t]];

	if (pos[t] == p->n[t])
		return false;
	if (p->forked_by[t] >= 0 && pos[p->forked_by[t]] <= (unsigned)p->forked_at[t])
		return false;
	if (o->kind == OP_JOIN)
		return pos[o->what] == p->n[o->what];
	for (unsigned u = 0; u < p->nthreads && o->kind == OP_TAKE; u++) {
		if (u != t && blocks(p, pos, u, o->what, o->shared))
			return false;
	}
	return true;
}

static inline struct hd_event event_of(const struct program *p, unsigned t, unsigned pos)
{
	static const uint8_t ops[] = { HD_OP_READ,    HD_OP_WRITE, HD_OP_ACQUIRE,
				       HD_OP_RELEASE, HD_OP_FORK,  HD_OP_JOIN };
	const struct op *o = &p->ops[t][pos];
	struct hd_event ev = { .thread = t + 1, .op = ops[o->kind], .pc = (t << 8) + pos + 1 };

	if (o->kind == OP_READ || o->kind == OP_WRITE) {
		ev.addr = 0x1000 + o->what * 8;
		ev.size = 4;
	} else if (o->kind == OP_TAKE || o->kind == OP_GIVE) {
		ev.addr = 0x2000 + o->what * 64;
		ev.arg = o->shared ? HD_LOCK_SHARED | HD_LOCK_RWLOCK : HD_LOCK_EXCLUSIVE;
	} else {
		ev.value = o->what + 1;
	}
	return ev;
}

/* A random order in which all of it runs; false: this one ended in a deadlock. */
static inline bool random_run(const struct program *p, struct run *run, struct hd_rng *r)
{
	unsigned pos[THREADS_MAX] = { 0 }, total = 0;

	run->n = 0;
	for (unsigned t = 0; t < p->nthreads; t++)
		total += p->n[t];
	while (run->n < total) {
		unsigned able[THREADS_MAX], n = 0, t;

		for (t = 0; t < p->nthreads; t++) {
			if (can_run(p, pos, t))
				able[n++] = t;
		}
		if (!n)
			return false;
		t = able[hd_rng_below(r, n)];
		run->events[run->n++] = event_of(p, t, pos[t]);
		pos[t]++;
	}
	return true;
}

/* Which positions can be reached in some order; indexed by position_number(). */
#define POSITIONS ((OPS_MAX + 1) * (OPS_MAX + 1) * (OPS_MAX + 1))

static inline unsigned position_number(const unsigned *pos, unsigned nthreads)
{
	unsigned n = 0;

	for (unsigned t = 0; t < nthreads; t++)
		n = n * (OPS_MAX + 1) + pos[t];
	return n;
}

static inline void reach(const struct program *p, unsigned *pos, bool *reached)
{
	unsigned at = position_number(pos, p->nthreads);

	if (reached[at])
		return;
	reached[at] = true;
	for (unsigned t = 0; t < p->nthreads; t++) {
		if (can_run(p, pos, t)) {
			pos[t]++;
			reach(p, pos, reached);
			pos[t]--;
		}
	}
}

#endif
