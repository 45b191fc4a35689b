/*
 * The race detector against an oracle that knows nothing of clocks: a graph of
 * what orders what, closed transitively, on very many small random runs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/race/race.h"
#include "common/rng.h"

#define MAX_EVENTS 64
#define MAX_FOUND  256
#define VARIABLES  3
#define MEMORY	   0x10000ull
#define PAGE	   0x1000ull
#define APART	   0x1040ull /* each variable has a page of its own */
#define LOCK	   0x20000ull
#define RWLOCK	   0x20100ull
#define SEM	   0x20200ull
#define BARRIER	   0x20300ull
#define NOBODYS	   0x20400ull /* a semaphore that is never taken */

struct run {
	struct hd_event ev[MAX_EVENTS];
	int n;
};

struct races {
	struct {
		uint64_t index, first_pc, second_pc, addr;
		enum hd_kind kind;
	} found[MAX_FOUND];
	int n;
};

static void note(void *arg, const struct hd_found *f)
{
	struct races *r = arg;

	assert_int_equal(f->naccesses, 2);
	assert_true(r->n < MAX_FOUND);
	memset(&r->found[r->n], 0, sizeof(r->found[r->n])); /* they are compared as bytes */
	r->found[r->n].index = f->accesses[1].index;
	r->found[r->n].second_pc = f->accesses[1].event.pc;
	r->found[r->n].first_pc = f->accesses[0].event.pc;
	r->found[r->n].addr = f->addr;
	r->found[r->n++].kind = f->kind;
}

static void detect(const struct run *run, struct races *out)
{
	struct hd_race_options o = { .locksets = true };
	struct hd_race *r = hd_race_new(&o, note, out);

	out->n = 0;
	assert_non_null(r);
	for (int i = 0; i < run->n; i++)
		assert_true(hd_race_event(r, &run->ev[i], (uint64_t)i));
	hd_race_free(r);
}

static uint64_t simple_ways;

/* Eight bytes as one of the runs of accesses that loops make; four are too few for one, and nothing comes of them. */
static bool tell_as_run(struct hd_race *r, const struct hd_race_view *v, const struct hd_event *e)
{
	struct hd_race_sweep s = { .read = e->op == HD_OP_READ,
				   .write = e->op == HD_OP_WRITE,
				   .size = e->size,
				   .read_pc = e->pc,
				   .write_pc = e->pc,
				   .ctx = e->ctx };

	if (e->size == 4 && !(e->addr & 7))
		assert_int_equal(hd_race_simple_run(r, v, e->addr, 4, &s), 0);
	return e->size == 8 && !(e->addr & 7) && hd_race_simple_run(r, v, e->addr, 8, &s) == 8;
}

/* The short ways that the runtime goes for a plain access. */
static void tell_access(struct hd_race *r, const struct hd_event *e, bool simple)
{
	bool write = e->op == HD_OP_WRITE, aligned = !(e->addr & (e->size - 1));
	struct hd_race_view view;

	hd_race_view_of(r, e->thread, &view);
	if ((aligned && hd_race_seen(&view, e->addr, e->size, write)) ||
	    hd_race_bytes_seen(&view, e->addr, e->size, write))
		return;
	if (simple && e->addr / APART % 2 && tell_as_run(r, &view, e))
		simple_ways++;
	else if (simple && (aligned ? hd_race_simple(&view, e->addr, e->size, write, e->pc, e->ctx)
				    : hd_race_bytes(&view, e->addr, e->size, write, e->pc, e->ctx)))
		simple_ways++;
	else
		assert_true(hd_race_plain(r, e));
}

/*
 * Two threads read the same elsewhere on the page of each variable, one of them under a lock: it cannot be narrow any
 * more. Or on other pages, so that this makes no other difference.
 */
static void fill_pages(struct hd_race *r, bool others)
{
	for (uint32_t i = 0; i < 2 * VARIABLES; i++) {
		struct hd_event e = { .thread = 1 + i % 2,
				      .op = HD_OP_READ,
				      .addr = MEMORY + APART * (i / 2) + (others ? 0x80800 : 0x800),
				      .size = 8,
				      .pc = 0x800 + i };
		struct hd_event lock = { .thread = e.thread, .op = HD_OP_ACQUIRE, .addr = 0x800 };

		assert_true(i % 2 || hd_race_event(r, &lock, HD_NO_INDEX));
		assert_true(hd_race_event(r, &e, HD_NO_INDEX));
		lock.op = HD_OP_RELEASE;
		assert_true(i % 2 || hd_race_event(r, &lock, HD_NO_INDEX));
	}
}

/* A loop of thread 1 over 64 cells, in each of so many of its times; as tests in line tell of it. */
static void sweep_often(struct hd_race *r, uint64_t addr, int times, unsigned size)
{
	struct hd_race_sweep s = { .write = true, .size = size, .write_pc = 0x600 };
	struct hd_race_view view;

	for (int i = 0; i < times; i++) {
		struct hd_event first = {
			.thread = 1, .op = HD_OP_WRITE, .addr = addr, .size = size, .pc = s.write_pc
		};
		struct hd_event release = { .thread = 1, .op = HD_OP_RELEASE, .addr = NOBODYS };

		hd_race_view_of(r, 1, &view);
		assert_true(hd_race_plain(r, &first)); /* its place is known from here on */
		assert_int_equal(hd_race_simple_run(r, &view, addr, 512, &s), 512);
		assert_true(hd_race_event(r, &release, HD_NO_INDEX));
	}
}

/* Does the run begin with a FORK of thread 2, so that all threads but the first are forked? */
static bool is_forked(const struct run *run)
{
	return run->ev[0].op == HD_OP_FORK && run->ev[0].value == 2;
}

/* Are there accesses to the whole page of the first variable? */
static bool has_pages(const struct run *run)
{
	for (int i = 0; i < run->n; i++) {
		if (run->ev[i].value == PAGE)
			return true;
	}
	return false;
}

/* Thread 1, as long as it is there, goes over other parts of the pages, so that it is worth it to look through their times. */
static void sweep_pages(struct hd_race *r, const struct run *run, int now)
{
	for (int i = 0; i < now; i++) {
		if (run->ev[i].op == HD_OP_JOIN && run->ev[i].value == 1)
			return;
	}
	for (uint64_t v = has_pages(run); v < VARIABLES; v++)
		sweep_often(r, MEMORY + APART * v + 0x400, 1, 8);
}

/*
 * As the runtime feeds it: what the fast path knows is not told, the rest goes the short way.
 * @simple: as from tests in line. @full: no page is narrow.
 */
static void detect_online(const struct run *run, struct races *out, bool simple, bool full)
{
	bool forked = is_forked(run);
	struct hd_race_options o = { .locksets = true, .direct = true, .forked = forked };
	struct hd_race *r = hd_race_new(&o, note, out);

	out->n = 0;
	assert_non_null(r);
	if (forked)
		assert_true(hd_race_event(r, &run->ev[0], HD_NO_INDEX));
	fill_pages(r, !full);
	for (int i = forked; i < run->n; i++) {
		const struct hd_event *e = &run->ev[i];

		if (forked && i % 6 == 1)
			sweep_pages(r, run, i);
		if (e->op != HD_OP_READ && e->op != HD_OP_WRITE)
			assert_true(hd_race_event(r, e, HD_NO_INDEX));
		else
			tell_access(r, e, simple);
	}
	hd_race_free(r);
}

static bool is_acquire(int mo)
{
	return mo == __ATOMIC_ACQUIRE || mo == __ATOMIC_CONSUME || mo == __ATOMIC_ACQ_REL ||
	       mo == __ATOMIC_SEQ_CST;
}

static bool is_release(int mo)
{
	return mo == __ATOMIC_RELEASE || mo == __ATOMIC_ACQ_REL || mo == __ATOMIC_SEQ_CST;
}

static bool atomic_op(const struct hd_event *e)
{
	return e->op >= HD_OP_ATOMIC_LOAD && e->op <= HD_OP_ATOMIC_CAS_FAIL;
}

static bool writes(const struct hd_event *e)
{
	return e->op == HD_OP_WRITE || e->op == HD_OP_ATOMIC_STORE || e->op == HD_OP_ATOMIC_RMW ||
	       e->op == HD_OP_FREE || e->op == HD_OP_WRITE_RANGE;
}

static bool accesses(const struct hd_event *e)
{
	return e->op == HD_OP_READ || e->op == HD_OP_WRITE || atomic_op(e) || e->op == HD_OP_FREE ||
	       e->op == HD_OP_WRITE_RANGE || e->op == HD_OP_READ_RANGE;
}

static uint64_t length(const struct hd_event *e)
{
	return e->op == HD_OP_FREE || e->op == HD_OP_WRITE_RANGE || e->op == HD_OP_READ_RANGE
		       ? e->value
		       : e->size;
}

/* Two accesses to a byte that both have, one of them a write? */
static bool conflict(const struct hd_event *a, const struct hd_event *b)
{
	return (writes(a) || writes(b)) && a->addr < b->addr + length(b) &&
	       b->addr < a->addr + length(a);
}

/* Edges into the load @j from the release sequence that it reads the byte at @addr from. */
static void atomic_edges(const struct run *r, int j, uint64_t addr,
			 bool edge[MAX_EVENTS][MAX_EVENTS])
{
	const struct hd_event *load = &r->ev[j];
	int sinks[MAX_EVENTS], nsinks = 0;

	if (is_acquire(load->arg))
		sinks[nsinks++] = j;
	for (int k = j + 1; k < r->n; k++) {
		if (r->ev[k].op == HD_OP_FENCE && r->ev[k].thread == load->thread &&
		    is_acquire(r->ev[k].arg))
			sinks[nsinks++] = k;
	}
	for (int i = j - 1; i >= 0; i--) {
		const struct hd_event *w = &r->ev[i];
		int source = -1;

		if ((w->op == HD_OP_FREE || w->op == HD_OP_ALLOC) && addr >= w->addr &&
		    addr < w->addr + w->value)
			break;
		if (!atomic_op(w) || !writes(w) || addr < w->addr || addr >= w->addr + w->size)
			continue;
		if (is_release(w->arg)) {
			source = i;
		} else {
			for (int k = i - 1; k >= 0 && source < 0; k--) {
				if (r->ev[k].op == HD_OP_FENCE && r->ev[k].thread == w->thread &&
				    is_release(r->ev[k].arg))
					source = k;
			}
		}
		for (int s = 0; s < nsinks && source >= 0; s++)
			edge[source][sinks[s]] = true;
		if (w->op != HD_OP_ATOMIC_RMW)
			break;
	}
}

static bool orders(const struct run *r, int i, int j)
{
	const struct hd_event *a = &r->ev[i], *b = &r->ev[j];

	if (a->thread == b->thread)
		return true;
	if (a->op == HD_OP_FORK && a->value == b->thread)
		return true;
	if (b->op == HD_OP_JOIN && b->value == a->thread)
		return true;
	if (a->op == HD_OP_FORK && b->op == HD_OP_JOIN && a->value == b->value)
		return true; /* also if the thread in between did nothing */
	if (a->addr != b->addr)
		return false;
	if (a->op == HD_OP_RELEASE && b->op == HD_OP_ACQUIRE)
		return !(a->arg & b->arg & HD_LOCK_SHARED);
	if (a->op == HD_OP_BARRIER_ENTER && b->op == HD_OP_BARRIER_LEAVE)
		return a->value == b->value;
	return a->op == HD_OP_SEM_POST && b->op == HD_OP_SEM_WAIT;
}

/* Between @i and @j the memory was given back or out: a free itself still counts. */
static bool renewed(const struct run *r, int i, int j)
{
	for (int k = i + 1; k < j; k++) {
		const struct hd_event *e = &r->ev[k];

		if ((e->op == HD_OP_ALLOC || e->op == HD_OP_FREE) && r->ev[j].addr >= e->addr &&
		    r->ev[j].addr < e->addr + e->value)
			return true;
	}
	return false;
}

static void oracle(const struct run *r, bool race[MAX_EVENTS][MAX_EVENTS])
{
	static bool hb[MAX_EVENTS][MAX_EVENTS];

	memset(hb, 0, sizeof(hb));
	memset(race, 0, sizeof(bool[MAX_EVENTS][MAX_EVENTS]));
	for (int j = 0; j < r->n; j++) {
		for (int i = 0; i < j; i++)
			hb[i][j] |= orders(r, i, j);
		for (uint32_t byte = 0; byte < r->ev[j].size; byte++) {
			if (atomic_op(&r->ev[j]) && r->ev[j].op != HD_OP_ATOMIC_STORE)
				atomic_edges(r, j, r->ev[j].addr + byte, hb);
		}
	}
	for (int k = 0; k < r->n; k++)
		for (int i = 0; i < k; i++)
			for (int j = k + 1; j < r->n; j++)
				hb[i][j] |= hb[i][k] && hb[k][j];
	for (int j = 0; j < r->n; j++) {
		for (int i = 0; i < j; i++) {
			const struct hd_event *a = &r->ev[i], *b = &r->ev[j];

			race[i][j] = accesses(a) && accesses(b) && conflict(a, b) &&
				     !(a->op == HD_OP_FREE && b->op == HD_OP_FREE) &&
				     !(atomic_op(a) && atomic_op(b)) && !hb[i][j] &&
				     !renewed(r, i, j);
		}
	}
}

/* ---- random runs --------------------------------------------------------- */

struct maker {
	struct hd_rng rng;
	struct run *run;
	uint32_t alive; /* bit set of threads */
	uint32_t next_thread, owner, readers, writer;
	uint32_t tokens;
	uint32_t freed_by[VARIABLES]; /* 0: it may be used */
	unsigned smallest;	      /* access, as a power of two */
	bool odd;		      /* accesses at any address in a variable */
	bool halves;		      /* variables of four bytes, first or last of eight, mostly */
	bool parts;		      /* atomic operations of several sizes */
	bool pages; /* the whole page of the first variable is read and written, too */
};

/*
 * A variable for @t. Not one that it freed itself: using that is a mistake of one
 * thread, which the detector need not see.
 */
static int pick_variable(struct maker *m, uint32_t t)
{
	int v = (int)hd_rng_below(&m->rng, VARIABLES);

	for (int i = 0; i < VARIABLES && m->freed_by[v] == t; i++)
		v = (v + 1) % VARIABLES;
	return m->freed_by[v] == t ? -1 : v;
}

static struct hd_event *add(struct maker *m, uint32_t thread, enum hd_op op)
{
	struct hd_event *e = &m->run->ev[m->run->n];

	/* Each event is a place of its own, so that nothing is merged. */
	*e = (struct hd_event){ .thread = thread,
				.op = (uint8_t)op,
				.pc = 0x1000 + (uint64_t)m->run->n };
	m->run->n++;
	return e;
}

static void add_access(struct maker *m, uint32_t t)
{
	static const uint8_t sizes[] = { 1, 2, 4, 8 };
	int v = pick_variable(m, t);
	struct hd_event *e;

	if (v < 0)
		return;
	e = add(m, t, hd_rng_below(&m->rng, 2) ? HD_OP_READ : HD_OP_WRITE);
	e->size = sizes[m->smallest + hd_rng_below(&m->rng, 4 - m->smallest)];
	e->addr = MEMORY + APART * (uint64_t)v + e->size * hd_rng_below(&m->rng, 8 / e->size);
	if (m->odd)
		e->addr = MEMORY + APART * (uint64_t)v + hd_rng_below(&m->rng, 9 - e->size);
	if (m->halves && hd_rng_below(&m->rng, 16)) {
		e->size = 4;
		e->addr = MEMORY + APART * (uint64_t)v + (v % 2 ? 4 : 0);
	}
}

static void add_atomic(struct maker *m, uint32_t t)
{
	static const int orders_of[] = { __ATOMIC_RELAXED, __ATOMIC_ACQUIRE, __ATOMIC_RELEASE,
					 __ATOMIC_ACQ_REL, __ATOMIC_SEQ_CST };
	static const enum hd_op ops[] = { HD_OP_ATOMIC_LOAD, HD_OP_ATOMIC_STORE, HD_OP_ATOMIC_RMW,
					  HD_OP_ATOMIC_CAS_FAIL, HD_OP_FENCE };
	enum hd_op op = ops[hd_rng_below(&m->rng, 5)];
	int v = pick_variable(m, t);
	struct hd_event *e;

	if (v < 0)
		return;
	e = add(m, t, op);
	e->arg = (uint16_t)orders_of[hd_rng_below(&m->rng, 5)];
	if (op == HD_OP_FENCE)
		return;
	/* Loads cannot release, stores cannot acquire. */
	if (op != HD_OP_ATOMIC_RMW && e->arg == __ATOMIC_ACQ_REL)
		e->arg = __ATOMIC_SEQ_CST;
	if (op == HD_OP_ATOMIC_STORE && e->arg == __ATOMIC_ACQUIRE)
		e->arg = __ATOMIC_RELEASE;
	if ((op == HD_OP_ATOMIC_LOAD || op == HD_OP_ATOMIC_CAS_FAIL) && e->arg == __ATOMIC_RELEASE)
		e->arg = __ATOMIC_ACQUIRE;
	e->size = m->parts ? 1u << hd_rng_below(&m->rng, 4) : 4;
	e->addr = MEMORY + APART * (uint64_t)v;
	if (m->parts)
		e->addr += e->size * hd_rng_below(&m->rng, 8 / e->size);
}

static void add_lock(struct maker *m, uint32_t t)
{
	struct hd_event *e;
	bool shared = hd_rng_below(&m->rng, 2);

	if (hd_rng_below(&m->rng, 2)) { /* the mutex */
		if (m->owner == t) {
			add(m, t, HD_OP_RELEASE)->addr = LOCK;
			m->owner = 0;
		} else if (!m->owner) {
			add(m, t, HD_OP_ACQUIRE)->addr = LOCK;
			m->owner = t;
		}
		return;
	}
	if (m->writer == t || m->readers >> t & 1) {
		e = add(m, t, HD_OP_RELEASE);
		e->addr = RWLOCK;
		e->arg = HD_LOCK_RWLOCK | (m->writer == t ? 0 : HD_LOCK_SHARED);
		m->writer = m->writer == t ? 0 : m->writer;
		m->readers &= ~(1u << t);
	} else if (!m->writer && (shared || !m->readers)) {
		e = add(m, t, HD_OP_ACQUIRE);
		e->addr = RWLOCK;
		e->arg = HD_LOCK_RWLOCK | (shared ? HD_LOCK_SHARED : 0);
		if (shared)
			m->readers |= 1u << t;
		else
			m->writer = t;
	}
}

static void add_other(struct maker *m, uint32_t t)
{
	int v = pick_variable(m, t);
	struct hd_event *e;
	uint32_t other;

	switch (hd_rng_below(&m->rng, 6)) {
	case 0:
		add(m, t, HD_OP_SEM_POST)->addr = SEM;
		m->tokens++;
		break;
	case 1:
		if (m->tokens) {
			add(m, t, HD_OP_SEM_WAIT)->addr = SEM;
			m->tokens--;
		}
		break;
	case 2:
		if (m->next_thread <= 5) {
			add(m, t, HD_OP_FORK)->value = m->next_thread;
			m->alive |= 1u << m->next_thread++;
		}
		break;
	case 3: /* join somebody who holds nothing */
		other = 1 + (uint32_t)hd_rng_below(&m->rng, m->next_thread - 1);
		if (other != t && m->alive >> other & 1 && m->owner != other &&
		    m->writer != other && !(m->readers >> other & 1)) {
			m->alive &= ~(1u << other);
			add(m, t, HD_OP_JOIN)->value = other;
		}
		break;
	case 4:
		other = (uint32_t)hd_rng_below(&m->rng, VARIABLES);
		e = add(m, t, m->freed_by[other] ? HD_OP_ALLOC : HD_OP_FREE);
		m->freed_by[other] = m->freed_by[other] ? 0 : t;
		e->addr = MEMORY + APART * (uint64_t)other;
		e->value = m->pages && !other ? PAGE : 8;
		break;
	default:
		if (v < 0)
			return;
		e = add(m, t, m->pages && t % 2 ? HD_OP_READ_RANGE : HD_OP_WRITE_RANGE);
		e->addr = MEMORY + APART * (uint64_t)v;
		e->value = m->pages && !v ? PAGE : 8;
	}
}

static void make_run(struct run *run, uint64_t seed, bool parts, bool pages)
{
	struct maker m = {
		.run = run, .alive = 1u << 1 | 1u << 2, .next_thread = 3, .parts = parts
	};
	int want;

	run->n = 0;
	hd_rng_seed(&m.rng, seed);
	m.smallest = (unsigned)hd_rng_below(&m.rng, 4);
	m.halves = seed % 4 == 0;
	m.odd = seed % 4 == 3;
	m.pages = pages;
	want = 8 + (int)hd_rng_below(&m.rng, MAX_EVENTS - 10);
	if (seed % 5 > 2)
		add(&m, 1, HD_OP_FORK)->value = 2;
	while (run->n < want) {
		uint32_t t = 1 + (uint32_t)hd_rng_below(&m.rng, m.next_thread - 1);

		if (!(m.alive >> t & 1))
			continue;
		switch (hd_rng_below(&m.rng, 8)) {
		case 0:
		case 1:
		case 2:
			add_access(&m, t);
			break;
		case 3:
			add_atomic(&m, t);
			break;
		case 4:
		case 5:
		case 6:
			if (m.parts) /* what they order is ordered by nothing else */
				add_atomic(&m, t);
			else
				add_lock(&m, t);
			break;
		default:
			add_other(&m, t);
		}
	}
}

/* ---- the comparison ------------------------------------------------------ */

static int variable_of(uint64_t addr)
{
	return (int)((addr - MEMORY) / APART);
}

/* For whoever shrinks a disagreement. */
static void print_run(const struct run *run)
{
	for (int i = 0; i < run->n; i++) {
		const struct hd_event *e = &run->ev[i];

		print_message("%2d T%u %s 0x%lx value %lu size %u arg %u\n", i, e->thread,
			      hd_op_info[e->op].name, e->addr, e->value, e->size, e->arg);
	}
}

static void compare(const struct run *run, uint64_t seed, bool online)
{
	static bool race[MAX_EVENTS][MAX_EVENTS];
	struct races got;
	int first[VARIABLES], first_got[VARIABLES];

	oracle(run, race);
	if (online)
		detect_online(run, &got, false, false);
	else
		detect(run, &got);
	for (int v = 0; v < VARIABLES; v++)
		first[v] = first_got[v] = MAX_EVENTS;
	for (int j = run->n - 1; j >= 0; j--) {
		for (int i = 0; i < j; i++) {
			if (race[i][j])
				first[variable_of(run->ev[i].addr)] = j;
		}
	}
	for (int k = got.n - 1; k >= 0; k--) {
		int i = (int)(got.found[k].first_pc - 0x1000);
		int j = (int)(got.found[k].second_pc - 0x1000);

		if (got.found[k].kind != HD_KIND_RACE) {
			if (!conflict(&run->ev[i], &run->ev[j]))
				print_run(run);
			if (!conflict(&run->ev[i], &run->ev[j]))
				fail_msg("seed %lu: events %d and %d are a candidate, but they do "
					 "not conflict",
					 seed, i, j);
			continue;
		}
		if (!race[i][j])
			print_run(run);
		if (!race[i][j])
			fail_msg("seed %lu: events %d and %d are told as a race and are none", seed,
				 i, j);
		first_got[variable_of(got.found[k].addr)] = j;
	}
	/* Up to the first race on a variable nothing is forgotten, so that one must be found. */
	for (int v = 0; v < VARIABLES; v++) {
		if (first[v] != first_got[v])
			print_run(run);
		if (first[v] != first_got[v])
			fail_msg("seed %lu: variable %d: first race at event %d, told at %d", seed,
				 v, first[v], first_got[v]);
	}
}

/* Of the short form, or of the long one of make check-full. */
static uint64_t by_length(uint64_t few, uint64_t many)
{
	uint64_t n = getenv("HEDDLE_TEST_FULL") ? many : few;

#ifdef __SANITIZE_ADDRESS__ /* slow, and looks for other things */
	n /= 4;
#endif
	return n;
}

static void random_runs(void **state)
{
	const char *more = getenv("HEDDLE_TEST_RUNS");
	uint64_t n = more ? strtoull(more, NULL, 10) : by_length(12000, 100000), seed = 1;
	struct run run;

	print_message("seeds %lu to %lu\n", seed, seed + n - 1);
	for (; n--; seed++) {
		make_run(&run, seed, seed % 3 == 0, seed % 3 == 1);
		compare(&run, seed, false);
		compare(&run, seed, true);
	}
}

/* Places that come again, of which findings are merged. */
static void make_run_of_places(struct run *run, uint64_t seed)
{
	make_run(run, seed, false, false);
	for (int i = 0; i < run->n; i++)
		run->ev[i].pc = 0x1000 + run->ev[i].op * 64ull + run->ev[i].size * 4 +
				run->ev[i].thread % 2;
}

static void assert_same(uint64_t seed, const struct races *a, const struct races *b)
{
	if (a->n != b->n || memcmp(a->found, b->found, (size_t)a->n * sizeof(*a->found)))
		fail_msg("seed %lu: %d and %d findings, or others", seed, a->n, b->n);
}

/*
 * What is simple is told of in a shorter way. That takes places that come again: so both ways are compared
 * with each other.
 */
static void the_simple_way_tells_the_same(void **state)
{
	uint64_t n = by_length(6000, 50000), told = 0;
	struct races plain, simple;
	struct run run;

	for (uint64_t seed = 1; seed <= n; seed++) {
		make_run_of_places(&run, seed);
		detect_online(&run, &plain, false, false);
		detect_online(&run, &simple, true, false);
		assert_same(seed, &plain, &simple);
		told += (uint64_t)plain.n;
	}
	assert_true(told > n / 2);
	assert_true(simple_ways > n / 8);
}

static int by_bytes(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(((struct races *)0)->found[0]));
}

/*
 * Narrow pages forget a write that all threads know of. Full cells may name it in a candidate, where it is ordered
 * before the access by more than locks: what is named there instead need not be the same. And they may be split
 * because of it, so that one access tells its races in another order.
 */
static void forget_history(struct races *r)
{
	for (int i = 0; i < r->n; i++) {
		if (r->found[i].kind != HD_KIND_RACE)
			r->found[i].first_pc = 0;
	}
	qsort(r->found, (size_t)r->n, sizeof(r->found[0]), by_bytes);
}

/* Pages are narrow while that loses nothing; the findings are those of full cells, told in either way. */
static void narrow_pages_tell_the_same(void **state)
{
	uint64_t n = by_length(2000, 50000);
	struct races narrow, full;
	struct run run;

	for (uint64_t seed = 1; seed <= n; seed++) {
		bool simple = seed % 2;

		make_run_of_places(&run, 7 * seed);
		detect_online(&run, &narrow, simple, false);
		detect_online(&run, &full, simple, true);
		if (is_forked(&run)) {
			forget_history(&narrow);
			forget_history(&full);
		}
		assert_same(7 * seed, &narrow, &full);
	}
}

/* ---- particular runs ----------------------------------------------------- */

static struct hd_event ev(uint32_t thread, enum hd_op op, uint64_t addr, uint64_t value,
			  uint32_t size)
{
	static uint64_t pc = 0x5000;

	return (struct hd_event){ .thread = thread,
				  .op = (uint8_t)op,
				  .addr = addr,
				  .value = value,
				  .size = size,
				  .pc = pc++ };
}

static void detect_list(const struct hd_event *list, int n, struct races *got)
{
	struct run run = { .n = n };

	memcpy(run.ev, list, (size_t)n * sizeof(*list));
	detect(&run, got);
}

#define DETECT(got, ...)                                                                           \
	detect_list((struct hd_event[]){ __VA_ARGS__ },                                            \
		    sizeof((struct hd_event[]){ __VA_ARGS__ }) / sizeof(struct hd_event), got)

static void different_locks_are_a_candidate(void **state)
{
	struct races got;

	/* T1 under A, then T2 under B, ordered only because T2 also took A and gave it back. */
	DETECT(&got, ev(1, HD_OP_ACQUIRE, LOCK, 0, 0), ev(1, HD_OP_WRITE, MEMORY, 0, 4),
	       ev(1, HD_OP_RELEASE, LOCK, 0, 0), ev(2, HD_OP_ACQUIRE, LOCK, 0, 0),
	       ev(2, HD_OP_RELEASE, LOCK, 0, 0), ev(2, HD_OP_ACQUIRE, LOCK + 64, 0, 0),
	       ev(2, HD_OP_WRITE, MEMORY, 0, 4), ev(2, HD_OP_RELEASE, LOCK + 64, 0, 0));
	assert_int_equal(got.n, 1);
	assert_int_equal(got.found[0].kind, HD_KIND_LOCKSET);
	assert_int_equal(got.found[0].index, 6);
}

static void neighbours_may_have_a_lock_each(void **state)
{
	/* Halves of eight, of four and of two bytes, by one access and by two before. */
	for (uint32_t size = 1; size <= 4; size *= 2) {
		struct races got;

		DETECT(&got, ev(1, HD_OP_ACQUIRE, LOCK, 0, 0), ev(1, HD_OP_WRITE, MEMORY, 0, size),
		       ev(1, HD_OP_RELEASE, LOCK, 0, 0), ev(2, HD_OP_ACQUIRE, LOCK, 0, 0),
		       ev(2, HD_OP_RELEASE, LOCK, 0, 0), ev(2, HD_OP_ACQUIRE, LOCK + 64, 0, 0),
		       ev(2, HD_OP_WRITE, MEMORY + size, 0, size),
		       ev(2, HD_OP_RELEASE, LOCK + 64, 0, 0));
		assert_int_equal(got.n, 0);
		DETECT(&got, ev(1, HD_OP_ACQUIRE, LOCK + 64, 0, 0),
		       ev(1, HD_OP_WRITE, MEMORY + size, 0, size),
		       ev(1, HD_OP_RELEASE, LOCK + 64, 0, 0), ev(1, HD_OP_ACQUIRE, LOCK, 0, 0),
		       ev(1, HD_OP_WRITE, MEMORY, 0, size), ev(1, HD_OP_RELEASE, LOCK, 0, 0),
		       ev(2, HD_OP_ACQUIRE, LOCK, 0, 0), ev(2, HD_OP_RELEASE, LOCK, 0, 0),
		       ev(2, HD_OP_ACQUIRE, LOCK + 64, 0, 0),
		       ev(2, HD_OP_WRITE, MEMORY + size, 0, size),
		       ev(2, HD_OP_RELEASE, LOCK + 64, 0, 0));
		assert_int_equal(got.n, 0);
		/* Read beside what is written, and read by the other as well. */
		DETECT(&got, ev(1, HD_OP_READ, MEMORY + size, 0, size),
		       ev(1, HD_OP_WRITE, MEMORY, 0, size), ev(1, HD_OP_ACQUIRE, LOCK, 0, 0),
		       ev(1, HD_OP_RELEASE, LOCK, 0, 0), ev(2, HD_OP_ACQUIRE, LOCK, 0, 0),
		       ev(2, HD_OP_RELEASE, LOCK, 0, 0), ev(2, HD_OP_READ, MEMORY + size, 0, size));
		assert_int_equal(got.n, 0);
	}
}

static void a_common_lock_is_none(void **state)
{
	struct races got;

	DETECT(&got, ev(1, HD_OP_ACQUIRE, LOCK, 0, 0), ev(1, HD_OP_WRITE, MEMORY, 0, 4),
	       ev(1, HD_OP_RELEASE, LOCK, 0, 0), ev(2, HD_OP_ACQUIRE, LOCK, 0, 0),
	       ev(2, HD_OP_ACQUIRE, LOCK + 64, 0, 0), ev(2, HD_OP_WRITE, MEMORY, 0, 4),
	       ev(2, HD_OP_RELEASE, LOCK + 64, 0, 0), ev(2, HD_OP_RELEASE, LOCK, 0, 0));
	assert_int_equal(got.n, 0);
}

static void handed_over_is_none(void **state)
{
	struct races got;

	/* A semaphore orders them whatever the schedule: no lock is needed. */
	DETECT(&got, ev(1, HD_OP_WRITE, MEMORY, 0, 4), ev(1, HD_OP_SEM_POST, SEM, 1, 0),
	       ev(2, HD_OP_SEM_WAIT, SEM, 0, 0), ev(2, HD_OP_WRITE, MEMORY, 0, 4));
	assert_int_equal(got.n, 0);
}

static void a_read_lock_does_not_protect_a_write(void **state)
{
	struct hd_event shared = ev(1, HD_OP_ACQUIRE, RWLOCK, 0, 0);
	struct hd_event back = ev(1, HD_OP_RELEASE, RWLOCK, 0, 0);
	struct hd_event shared2, back2;
	struct races got;

	shared.arg = back.arg = HD_LOCK_RWLOCK | HD_LOCK_SHARED;
	shared2 = shared;
	back2 = back;
	shared2.thread = back2.thread = 2;
	DETECT(&got, shared, ev(1, HD_OP_WRITE, MEMORY, 0, 4), back, shared2,
	       ev(2, HD_OP_WRITE, MEMORY, 0, 4), back2);
	assert_int_equal(got.n, 1);
	assert_int_equal(got.found[0].kind, HD_KIND_RACE);
}

static void long_ranges(void **state)
{
	struct races got;

	/* Two threads fill a megabyte: one race, and it does not take a million steps. */
	DETECT(&got, ev(1, HD_OP_WRITE_RANGE, 0x100000, 1 << 20, 0),
	       ev(2, HD_OP_WRITE_RANGE, 0x100000, 1 << 20, 0));
	assert_int_equal(got.n, 1);
	/* A byte in the middle of a page that was filled as a whole. */
	DETECT(&got, ev(1, HD_OP_WRITE_RANGE, 0x100000, 1 << 20, 0),
	       ev(2, HD_OP_READ, 0x100805, 0, 1));
	assert_int_equal(got.n, 1);
	assert_int_equal(got.found[0].index, 1);
	DETECT(&got, ev(1, HD_OP_WRITE_RANGE, 0x100000, 1 << 20, 0),
	       ev(2, HD_OP_READ, 0x200000, 0, 1));
	assert_int_equal(got.n, 0);
}

/* A block of which one cell alone is touched, then a part of it: on a narrow page, until that is no longer so. */
static void narrow_pages_become_full(void **state)
{
	const uint64_t block = 0x100000, other = block + 0x80;
	struct races got;

	/* Freed by another thread, which nothing orders after the write. */
	DETECT(&got, ev(1, HD_OP_ALLOC, block, 64, 0), ev(1, HD_OP_WRITE, block + 8, 0, 8),
	       ev(2, HD_OP_FREE, block, 64, 0));
	assert_int_equal(got.n, 1);
	assert_int_equal(got.found[0].index, 2);
	/* Used after it was freed; and freed by whoever used it last, it is new. */
	DETECT(&got, ev(1, HD_OP_WRITE, block + 8, 0, 8), ev(1, HD_OP_FREE, block, 64, 0),
	       ev(2, HD_OP_READ, block + 16, 0, 8));
	assert_int_equal(got.n, 1);
	assert_int_equal(got.found[0].index, 2);
	DETECT(&got, ev(1, HD_OP_WRITE, block + 8, 0, 8), ev(1, HD_OP_FREE, block, 64, 0),
	       ev(2, HD_OP_ALLOC, block, 64, 0), ev(2, HD_OP_WRITE, block + 8, 0, 8));
	assert_int_equal(got.n, 0);
	/* A single byte on the page: what was known of the others still is. */
	DETECT(&got, ev(1, HD_OP_WRITE, block, 0, 8), ev(2, HD_OP_READ, block + 8, 0, 4),
	       ev(1, HD_OP_WRITE, other, 0, 1), ev(1, HD_OP_WRITE, block + 12, 0, 4),
	       ev(1, HD_OP_WRITE, block + 8, 0, 4), ev(2, HD_OP_READ, block + 4, 0, 4));
	assert_int_equal(got.n, 2);
	assert_int_equal(got.found[0].index, 4);
	assert_int_equal(got.found[1].index, 5);
	/* Forgotten in part, the rest is known. */
	DETECT(&got, ev(1, HD_OP_WRITE, block, 0, 8), ev(2, HD_OP_ALLOC, block, 4, 0),
	       ev(2, HD_OP_READ, block, 0, 4), ev(2, HD_OP_READ, block + 4, 0, 4));
	assert_int_equal(got.n, 1);
	assert_int_equal(got.found[0].index, 3);
	/* More times than a narrow page has room for: the first write is remembered. */
	DETECT(&got, ev(1, HD_OP_WRITE, block, 0, 8), ev(1, HD_OP_RELEASE, SEM, 0, 0),
	       ev(1, HD_OP_WRITE, block + 8, 0, 8), ev(1, HD_OP_RELEASE, SEM, 0, 0),
	       ev(1, HD_OP_WRITE, block + 16, 0, 8), ev(1, HD_OP_RELEASE, SEM, 0, 0),
	       ev(1, HD_OP_WRITE, block + 24, 0, 8), ev(1, HD_OP_RELEASE, SEM, 0, 0),
	       ev(1, HD_OP_WRITE, block + 32, 0, 8), ev(2, HD_OP_READ, block, 0, 8),
	       ev(2, HD_OP_WRITE, block + 32, 0, 8));
	assert_int_equal(got.n, 2);
	assert_int_equal(got.found[0].index, 9);
	assert_int_equal(got.found[1].index, 10);
}

/*
 * Loops go over a part of a narrow page at more times than it has room for. Times that cells still have are
 * kept, others make room; cells of four bytes beside them, and the page next to it, are as before.
 */
static void loops_on_narrow_pages(void **state)
{
	for (unsigned size = 4; size <= 8; size += 4) {
		struct hd_race_options o = { .locksets = true, .direct = true };
		const uint64_t block = 0x100000, written = block + 0x800, was_read = block + 0x810;
		struct races got = { .n = 0 };
		struct hd_race *r = hd_race_new(&o, note, &got);
		const struct hd_event before[] = { ev(1, HD_OP_WRITE, written, 0, size),
						   ev(1, HD_OP_READ, was_read, 0, size),
						   ev(1, HD_OP_WRITE, block + 0x820, 0, 4),
						   ev(1, HD_OP_WRITE, block + 0x824, 0, 4) };
		const struct hd_event after[] = { ev(2, HD_OP_READ, written, 0, size),
						  ev(2, HD_OP_WRITE, was_read, 0, size),
						  ev(2, HD_OP_READ, block + 0x820, 0, 8),
						  ev(2, HD_OP_READ, block + 0x200, 0, 8),
						  ev(2, HD_OP_READ, block + 0x1f8, 0, 8),
						  ev(2, HD_OP_READ, block, 0, 4) };
		/* Where the later access begins; the eight bytes race with two writes. */
		const uint64_t told[] = { written,	 was_read,	block + 0x820,
					  block + 0x820, block + 0x1f8, block };

		for (unsigned i = 0; i < 4; i++)
			assert_true(hd_race_event(r, &before[i], HD_NO_INDEX));
		sweep_often(r, block, 20, size);
		for (unsigned i = 0; i < 6; i++)
			assert_true(hd_race_event(r, &after[i], i));
		hd_race_free(r);
		assert_int_equal(got.n, 6);
		for (unsigned i = 0; i < 6; i++)
			assert_int_equal(got.found[i].addr, told[i]);
		assert_int_equal(got.found[0].first_pc, before[0].pc);
		assert_int_equal(got.found[1].first_pc, before[1].pc);
		assert_int_equal(got.found[4].first_pc, 0x600);
	}
}

/* A loop over three accesses of four bytes, on narrow pages and others: what is behind it is nobody's yet. */
static void loops_end_within_eight_bytes(void **state)
{
	for (int divided = 0; divided < 2; divided++) {
		struct hd_race_options o = { .locksets = true, .direct = true };
		const uint64_t block = 0x100000;
		struct races got = { .n = 0 };
		struct hd_race *r = hd_race_new(&o, note, &got);
		struct hd_race_sweep s = { .write = true, .size = 4, .write_pc = 0x600 };
		struct hd_event first = ev(1, HD_OP_WRITE, block + 0x800, 0, 4),
				second = ev(1, HD_OP_WRITE, block + 0x804, 0, 4),
				behind = ev(2, HD_OP_WRITE, block + 12, 0, 4),
				within = ev(2, HD_OP_WRITE, block + 4, 0, 4);
		struct hd_race_view view;

		first.pc = s.write_pc;
		assert_true(hd_race_event(r, &first, HD_NO_INDEX));
		if (divided)
			assert_true(hd_race_event(r, &second, HD_NO_INDEX));
		hd_race_view_of(r, 1, &view);
		assert_true(hd_race_plain(r, &first)); /* its place is known from here on */
		assert_int_equal(hd_race_simple_run(r, &view, block, 12, &s), 8);
		assert_true(hd_race_event(r, &behind, 1));
		assert_int_equal(got.n, 0);
		assert_true(hd_race_event(r, &within, 2));
		assert_int_equal(got.n, 1);
		hd_race_free(r);
	}
}

/* Blocks of whole pages, whose cells are used again for others. */
static void pages_come_and_go(void **state)
{
	const uint64_t block = 0x100000, other = 0x200000, bytes = 3 * 4096;
	struct races got;

	/* Used after it was freed, in a page of which single bytes were written, and in one of which none were. */
	DETECT(&got, ev(1, HD_OP_WRITE, block + 5, 0, 1), ev(1, HD_OP_FREE, block, bytes, 0),
	       ev(2, HD_OP_READ, block + 0x805, 0, 1), ev(2, HD_OP_READ, block + 0x1805, 0, 1));
	assert_int_equal(got.n, 2);
	assert_int_equal(got.found[0].index, 2);
	assert_int_equal(got.found[1].index, 3);
	/* Freed while somebody else may still write to it. */
	DETECT(&got, ev(1, HD_OP_WRITE, block + 5, 0, 1), ev(2, HD_OP_FREE, block, bytes, 0));
	assert_int_equal(got.n, 1);
	assert_int_equal(got.found[0].index, 1);
	/* Given out again, nothing is known of it, nor of a page that has the cells now. */
	DETECT(&got, ev(1, HD_OP_WRITE, block + 5, 0, 1), ev(1, HD_OP_READ, block + 16, 0, 8),
	       ev(1, HD_OP_FREE, block, bytes, 0), ev(1, HD_OP_ALLOC, block, bytes, 0),
	       ev(2, HD_OP_WRITE, other + 5, 0, 1), ev(2, HD_OP_WRITE, other + 16, 0, 8),
	       ev(2, HD_OP_WRITE, block + 5, 0, 1), ev(2, HD_OP_WRITE, block + 16, 0, 8));
	assert_int_equal(got.n, 0);
	/* But of what was done there since. */
	DETECT(&got, ev(1, HD_OP_WRITE, block + 5, 0, 1), ev(1, HD_OP_FREE, block, bytes, 0),
	       ev(1, HD_OP_ALLOC, block, bytes, 0), ev(1, HD_OP_WRITE, other + 5, 0, 1),
	       ev(1, HD_OP_WRITE, block + 6, 0, 1), ev(2, HD_OP_READ, other + 5, 0, 1),
	       ev(2, HD_OP_READ, block + 5, 0, 1), ev(2, HD_OP_READ, block + 6, 0, 1));
	assert_int_equal(got.n, 2);
	assert_int_equal(got.found[0].index, 5);
	assert_int_equal(got.found[1].index, 7);
}

static void notified_is_ordered(void **state)
{
	struct hd_event wake = ev(2, HD_OP_WAKE, SEM, 1, 0), late = ev(2, HD_OP_WAKE, SEM, 0, 0);
	struct races got;

	DETECT(&got, ev(2, HD_OP_WAIT, SEM, LOCK, 0), ev(1, HD_OP_WRITE, MEMORY, 0, 4),
	       ev(1, HD_OP_NOTIFY, SEM, 2, 0), wake, ev(2, HD_OP_READ, MEMORY, 0, 4));
	assert_int_equal(got.n, 0);
	/* Woken by the clock, nobody said anything. */
	DETECT(&got, ev(2, HD_OP_WAIT, SEM, LOCK, 0), ev(1, HD_OP_WRITE, MEMORY, 0, 4),
	       ev(1, HD_OP_NOTIFY, SEM, 3, 0), late, ev(2, HD_OP_READ, MEMORY, 0, 4));
	assert_int_equal(got.n, 1);
}

static void barrier_orders_rounds(void **state)
{
	struct races got;

	DETECT(&got, ev(1, HD_OP_WRITE, MEMORY, 0, 4), ev(1, HD_OP_BARRIER_ENTER, BARRIER, 0, 0),
	       ev(2, HD_OP_BARRIER_ENTER, BARRIER, 0, 0), ev(2, HD_OP_BARRIER_LEAVE, BARRIER, 0, 0),
	       ev(2, HD_OP_READ, MEMORY, 0, 4));
	assert_int_equal(got.n, 0);
	/* Written after the round: nothing orders it. */
	DETECT(&got, ev(1, HD_OP_BARRIER_ENTER, BARRIER, 0, 0),
	       ev(2, HD_OP_BARRIER_ENTER, BARRIER, 0, 0), ev(2, HD_OP_BARRIER_LEAVE, BARRIER, 0, 0),
	       ev(1, HD_OP_BARRIER_LEAVE, BARRIER, 0, 0), ev(1, HD_OP_WRITE, MEMORY, 0, 4),
	       ev(2, HD_OP_READ, MEMORY, 0, 4));
	assert_int_equal(got.n, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(different_locks_are_a_candidate),
		cmocka_unit_test(neighbours_may_have_a_lock_each),
		cmocka_unit_test(a_common_lock_is_none),
		cmocka_unit_test(handed_over_is_none),
		cmocka_unit_test(a_read_lock_does_not_protect_a_write),
		cmocka_unit_test(long_ranges),
		cmocka_unit_test(narrow_pages_become_full),
		cmocka_unit_test(loops_on_narrow_pages),
		cmocka_unit_test(loops_end_within_eight_bytes),
		cmocka_unit_test(pages_come_and_go),
		cmocka_unit_test(notified_is_ordered),
		cmocka_unit_test(barrier_orders_rounds),
		cmocka_unit_test(random_runs),
		cmocka_unit_test(the_simple_way_tells_the_same),
		cmocka_unit_test(narrow_pages_tell_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
