/*
 * All states that a program can be in, one after the other.
 *
 * A step is one operation of a thread. Time is in it as what it may do: a lock with a deadline fails
 * while another has it, a wait on a condition with a deadline ends whenever it likes, a sleep is no
 * step. A loop that waits is a step that cannot be made until its condition holds.
 */
#include "timed_model.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define STATES (1u << 17)
#define SLOTS  (4 * STATES)
#define NEXT   8 /* states after a state that one thread can reach in a step */

/* Of waits on conditions. */
enum phase { AWAKE, WAITS, TIMED_OUT, WOKEN };

struct state {
	unsigned char pc[THREADS], phase[THREADS], sum[THREADS], at[THREADS];
	unsigned char held[THREADS], spin_held[THREADS]; /* bits */
	unsigned char made;				 /* threads; main is there */
	unsigned char joined, detached;			 /* bits */
	unsigned char semaphores[OBJECTS], atomics[OBJECTS], guarded[OBJECTS];
};

static struct model {
	const char *line[THREADS];
	int n;
	struct state *states;
	uint32_t nstates;
	uint32_t *slots; /* number of a state plus one */
	uint32_t (*edges)[2];
	size_t nedges, edges_room;
	bool *leaves; /* the state can end the process, or change more than a loop does */
	struct outcomes *out;
} m;

/* ---- sets of outcomes -------------------------------------------------------------------- */

bool outcomes_have(const struct outcomes *o, const struct outcome *x)
{
	for (size_t i = 0; i < o->n; i++) {
		if (!memcmp(&o->list[i], x, sizeof(*x)))
			return true;
	}
	return false;
}

void outcomes_add(struct outcomes *o, const struct outcome *x)
{
	if (outcomes_have(o, x))
		return;
	if (o->n == o->room) {
		o->room = o->room ? 2 * o->room : 64;
		o->list = realloc(o->list, o->room * sizeof(*o->list));
		if (!o->list)
			abort();
	}
	o->list[o->n++] = *x;
}

/* ---- what a state is like ---------------------------------------------------------------- */

static bool among(const char *s, char c)
{
	return c && strchr(s, c);
}

static char op_of(const struct state *s, int t)
{
	char c = m.line[t][s->pc[t]];

	return c == '/' || c == '\n' ? 0 : c;
}

static int digit_of(const struct state *s, int t)
{
	return m.line[t][s->pc[t] + 1] - '0';
}

static bool has_ended(const struct state *s, int t)
{
	char c = op_of(s, t);

	return t < s->made && (c == 0 || c == 'e' || (c == 'f' && t > 0));
}

/* Who has a mutex; -1: nobody. */
static int owner(const struct state *s, int x)
{
	for (int t = 0; t < m.n; t++) {
		if (s->held[t] >> x & 1)
			return t;
	}
	return -1;
}

/* Whom main waits for at the end of its line; 0: nobody. */
static int last_join(const struct state *s)
{
	for (int t = 1; t < m.n; t++) {
		if (!((s->joined | s->detached) >> t & 1) && !has_ended(s, t))
			return t;
	}
	return 0;
}

static bool can_join(const struct state *s, int x)
{
	return x > 0 && x < m.n && !((s->joined | s->detached) >> x & 1);
}

/* Whom a thread waits for, where only that one can help; -1: there is no such thread. */
static int waits_for(const struct state *s, int t)
{
	char op = op_of(s, t);
	int x;

	if (t >= s->made)
		return -1;
	if (t == 0 && op == 0 && s->made == m.n)
		return last_join(s) ? last_join(s) : -1;
	if (has_ended(s, t))
		return -1;
	x = digit_of(s, t);
	if (op == 'l' || (among("vVM", op) && s->phase[t] >= TIMED_OUT))
		return owner(s, x & 1);
	if (t == 0 && op == 'j' && can_join(s, x) && !has_ended(s, x))
		return x;
	return -1;
}

static bool has_cycle(const struct state *s)
{
	for (int t = 0; t < m.n; t++) {
		int at = t;

		for (int k = 0; k <= m.n && at >= 0; k++) {
			at = waits_for(s, at);
			if (at == t)
				return true;
		}
	}
	return false;
}

static bool waits_in_loop(const struct state *s)
{
	for (int t = 0; t < s->made; t++) {
		if (!has_ended(s, t) && among("SLQTRMKPB", op_of(s, t)))
			return true;
	}
	return false;
}

/* ---- ends ---------------------------------------------------------------------------------- */

static struct outcome outcome_of(const struct state *s, enum how how)
{
	struct outcome x = { .how = (unsigned char)how };

	memcpy(x.sum, s->sum, sizeof(x.sum));
	memcpy(x.at, s->at, sizeof(x.at));
	memcpy(x.atomics, s->atomics, sizeof(x.atomics));
	return x;
}

static void end_early(const struct state *s, int status)
{
	struct outcome x = outcome_of(s, ENDS);

	x.status = (unsigned char)status;
	forget_others(&x);
	outcomes_add(m.out, &x);
}

static void end_orderly(const struct state *s)
{
	struct outcome x = outcome_of(s, ENDS);

	memcpy(x.guarded, s->guarded, sizeof(x.guarded));
	if (s->detached)
		forget_others(&x);
	outcomes_add(m.out, &x);
}

static void end_in_fault(const struct state *s, enum how how, int t)
{
	struct outcome x = { .how = (unsigned char)how, .who = (unsigned char)t };

	x.sum[t] = s->sum[t];
	x.at[t] = s->at[t];
	outcomes_add(m.out, &x);
}

/* What the thread's next operation ends, if it does; false: it does not. */
static bool ends_process(const struct state *s, int t)
{
	char op = op_of(s, t);

	if (t == 0 && op == 0 && s->made == m.n && !last_join(s))
		end_orderly(s);
	else if (t == 0 && op == 'f')
		end_early(s, status_of(0, digit_of(s, t)));
	else if (among("xXq", op))
		end_early(s, status_of(t, digit_of(s, t)));
	else if (op == 'F')
		end_in_fault(s, FAILS, t);
	else if (op == 'A')
		end_in_fault(s, ABORTS, t);
	else
		return false;
	return true;
}

/* ---- steps ----------------------------------------------------------------------------------- */

static void told(struct state *s, int t, int v)
{
	s->sum[t] = (unsigned char)(s->sum[t] * 3 + v);
}

static int value(const struct state *s, int t)
{
	return (s->sum[t] * 2 + t + 1) & 7;
}

/* The operation is done: on to the next, or the one after it. */
static void advance(struct state *s, int t, bool skip)
{
	s->at[t] += among(COUNTED, op_of(s, t));
	s->phase[t] = AWAKE;
	s->pc[t] += 2;
	if (skip && op_of(s, t))
		s->pc[t] += 2;
}

/* Operations on atomics that never wait; true: skip the next. */
static bool do_atomic(struct state *s, int t, char op, int x)
{
	unsigned char *a = &s->atomics[x];

	if (op == 'r')
		told(s, t, *a);
	else if (op == 'w')
		*a = (unsigned char)value(s, t);
	else if (op == 'n')
		*a = 0;
	else if (op == 'c')
		told(s, t, *a ? 2 : 1);
	else if (op == 'a' || op == 'N')
		told(s, t, *a);
	if (op == 'c' && !*a)
		*a = (unsigned char)(t + 1);
	else if (op == 'a' || op == 'N' || op == 'U')
		*a += (unsigned char)(t + 1);
	return op == 'i' && (*a & 1);
}

static int lock(struct state *s, int t, char op, int x)
{
	bool failed = owner(s, x) >= 0;

	if (failed && !among("tm", op))
		return 0;
	if (!failed)
		s->held[t] |= (unsigned char)(1 << x);
	told(s, t, failed);
	advance(s, t, failed);
	return 1;
}

static int wait_for_condition(struct state *next, int t, char op, int x)
{
	struct state *s = next;
	bool free = owner(s, x) < 0;

	switch (s->phase[t]) {
	case AWAKE:
		if (op == 'M' && s->guarded[x]) {
			told(s, t, s->guarded[x]);
			advance(s, t, false);
			return 1;
		}
		s->held[t] &= (unsigned char)~(1 << x);
		s->phase[t] = WAITS;
		return 1;
	case WAITS:
		s->phase[t] = TIMED_OUT;
		return op != 'v';
	default:
		if (!free)
			return 0;
		s->held[t] |= (unsigned char)(1 << x);
		if (op == 'V')
			told(s, t, s->phase[t] == TIMED_OUT);
		if (op == 'M')
			s->phase[t] = AWAKE;
		else
			advance(s, t, false);
		return 1;
	}
}

/* A state for each thread that it may wake. */
static int notify(struct state *next, int t, char op, int x)
{
	struct state before;
	int n = 0;

	advance(next, t, false);
	before = *next;
	for (int w = 0; w < before.made; w++) {
		if (before.phase[w] != WAITS || !among("vVM", op_of(&before, w)) ||
		    (digit_of(&before, w) & 1) != x)
			continue;
		if (op == 's')
			next[n] = before;
		next[op == 's' ? n++ : 0].phase[w] = WOKEN;
	}
	return n ? n : 1;
}

static int do_semaphore(struct state *s, int t, char op, int x)
{
	bool there = s->semaphores[x] > 0;

	if (op == 'p') {
		s->semaphores[x]++;
	} else if (there) {
		s->semaphores[x]--;
	} else if (op != 'D') {
		return 0;
	}
	if (op == 'D')
		told(s, t, !there);
	advance(s, t, false);
	return 1;
}

static int do_loop(struct state *s, int t, char op, int x)
{
	unsigned char *a = &s->atomics[x];

	if (op == 'E' && !*a && !s->phase[t]) {
		s->phase[t] = 1; /* once more */
		return 1;
	}
	if ((op == 'S' && !*a) || (op == 'L' && *a))
		return 0;
	if (op == 'L') {
		*a = (unsigned char)(t + 1);
		s->spin_held[t] |= (unsigned char)(1 << x);
	} else {
		told(s, t, *a);
	}
	advance(s, t, false);
	return 1;
}

#define LOOKED 1
#define FAILED 2

/* Loops of two looks: phase says whether the first is over, and whether a round was in vain. */
static int do_two_looks(struct state *s, int t, char op, int x)
{
	unsigned char *a = &s->atomics[x], *second = &s->atomics[op == 'B' ? !x : x];

	if (!(s->phase[t] & LOOKED)) {
		s->phase[t] |= LOOKED;
		return (op == 'B') == (*a != 0);
	}
	if ((op == 'B') != (*second != 0)) {
		s->phase[t] = op == 'P' ? FAILED : 0;
		return 1;
	}
	if (op == 'B') {
		told(s, t, *second);
	} else {
		if (op == 'P')
			told(s, t, (s->phase[t] & FAILED) != 0);
		*a = (unsigned char)(t + 1);
		s->spin_held[t] |= (unsigned char)(1 << x);
	}
	advance(s, t, false);
	return 1;
}

/* What somebody does who has the lock. */
static int use(struct state *s, int t, char op, int x)
{
	if (op == 'g')
		told(s, t, s->guarded[x]);
	else if (op == 'h')
		s->guarded[x] = (unsigned char)value(s, t);
	else if (op == 'u')
		s->held[t] &= (unsigned char)~(1 << x);
	else
		s->atomics[x] = 0;
	if (op == 'O')
		s->spin_held[t] &= (unsigned char)~(1 << x);
	advance(s, t, false);
	return 1;
}

static int do_thread(struct state *s, int t, char op, int x)
{
	if (t == 0 && among("jk", op) && can_join(s, x)) {
		if (op == 'j' && !has_ended(s, x))
			return 0;
		*(op == 'j' ? &s->joined : &s->detached) |= (unsigned char)(1 << x);
	}
	s->pc[t] += 2;
	return 1;
}

/* States after @s by a step of @t, in @next; how many. */
static int step(const struct state *s, int t, struct state *next)
{
	char op = op_of(s, t);
	int x = op ? digit_of(s, t) & 1 : 0;

	*next = *s;
	if (t == 0 && s->made < m.n) {
		next->made++;
		return 1;
	}
	if (t >= s->made || has_ended(s, t))
		return 0;
	if ((among("ugh", op) && !(s->held[t] >> x & 1)) ||
	    (among("vVM", op) && s->phase[t] == AWAKE && !(s->held[t] >> x & 1)) ||
	    (op == 'O' && !(s->spin_held[t] >> x & 1))) {
		next->pc[t] += 2;
		return 1;
	}
	if (among("KPB", op))
		return do_two_looks(next, t, op, x);
	if (among("rwnaUciN", op)) {
		advance(next, t, do_atomic(next, t, op, x));
		return 1;
	}
	if (among("ltmQT", op))
		return lock(next, t, op, x);
	if (among("vVM", op))
		return wait_for_condition(next, t, op, x);
	if (among("sb", op))
		return notify(next, t, op, x);
	if (among("pdDR", op))
		return do_semaphore(next, t, op, x);
	if (among("SLE", op))
		return do_loop(next, t, op, x);
	if (among("ghuO", op))
		return use(next, t, op, x);
	return do_thread(next, t, op, digit_of(s, t));
}

/* ---- all states --------------------------------------------------------------------------- */

static uint32_t number_of(const struct state *s)
{
	const unsigned char *p = (const unsigned char *)s;
	uint64_t h = 1469598103934665603u;
	uint32_t i;

	for (size_t k = 0; k < sizeof(*s); k++)
		h = (h ^ p[k]) * 1099511628211u;
	for (i = (uint32_t)(h >> 20) % SLOTS; m.slots[i]; i = (i + 1) % SLOTS) {
		if (!memcmp(&m.states[m.slots[i] - 1], s, sizeof(*s)))
			return m.slots[i] - 1;
	}
	if (m.nstates == STATES) {
		m.out->too_many = true;
		return 0;
	}
	m.states[m.nstates] = *s;
	m.slots[i] = ++m.nstates;
	return m.nstates - 1;
}

static void add_edge(uint32_t from, uint32_t to)
{
	if (m.nedges == m.edges_room) {
		m.edges_room = m.edges_room ? 2 * m.edges_room : 4096;
		m.edges = realloc(m.edges, m.edges_room * sizeof(*m.edges));
		if (!m.edges)
			abort();
	}
	m.edges[m.nedges][0] = from;
	m.edges[m.nedges++][1] = to;
}

/* Do two states differ in more than how far waits in loops of several steps have come? */
static bool is_other(const struct state *a, const struct state *b)
{
	struct state x = *a, y = *b;

	for (int t = 0; t < a->made; t++) {
		if (!among("MKPB", op_of(a, t)) || a->pc[t] != b->pc[t])
			continue;
		x.phase[t] = y.phase[t] = 0;
		x.held[t] = y.held[t] = 0;
	}
	return memcmp(&x, &y, sizeof(x)) != 0;
}

static bool is_over(const struct state *s)
{
	for (int t = 0; t < m.n; t++) {
		if (!has_ended(s, t))
			return false;
	}
	return op_of(s, 0) == 'e';
}

static void expand(uint32_t i)
{
	struct state next[NEXT], s = m.states[i];
	struct outcome cycle = { .how = CYCLE };

	if (has_cycle(&s))
		outcomes_add(m.out, &cycle);
	if (is_over(&s)) {
		end_early(&s, 0);
		m.leaves[i] = true;
		return;
	}
	for (int t = 0; t < m.n; t++) {
		int n;

		if (t < s.made && !(t == 0 && s.made < m.n) && ends_process(&s, t)) {
			m.leaves[i] = true;
			continue;
		}
		n = step(&s, t, next);
		for (int k = 0; k < n; k++) {
			add_edge(i, number_of(&next[k]));
			m.leaves[i] |= is_other(&s, &next[k]);
		}
	}
}

/* Whatever can get to a state that others come after is not stuck itself. */
static void find_stuck(void)
{
	bool more = true;

	while (more) {
		more = false;
		for (size_t e = m.nedges; e-- > 0;) {
			if (m.leaves[m.edges[e][1]] && !m.leaves[m.edges[e][0]])
				more = m.leaves[m.edges[e][0]] = true;
		}
	}
	for (uint32_t i = 0; i < m.nstates; i++) {
		const struct state *s = &m.states[i];
		struct outcome x;

		if (m.leaves[i] || has_cycle(s))
			continue;
		x = outcome_of(s, STUCK);
		outcomes_add(m.out, &x);
		*(waits_in_loop(s) ? &m.out->loops : &m.out->blocks) = true;
	}
}

void enumerate(const char *program, struct outcomes *o)
{
	struct state first = { .made = 1 };

	if (!m.states) {
		m.states = malloc(STATES * sizeof(*m.states));
		m.leaves = malloc(STATES * sizeof(*m.leaves));
		m.slots = calloc(SLOTS, sizeof(*m.slots));
		if (!m.states || !m.leaves || !m.slots)
			abort();
	}
	memset(m.leaves, 0, STATES * sizeof(*m.leaves));
	memset(m.slots, 0, SLOTS * sizeof(*m.slots));
	m.nstates = 0;
	m.nedges = 0;
	m.n = 0;
	m.out = o;
	m.line[m.n++] = program;
	for (const char *p = program; *p; p++) {
		if (*p == '/' && m.n < THREADS)
			m.line[m.n++] = p + 1;
	}
	number_of(&first);
	for (uint32_t i = 0; i < m.nstates && !o->too_many; i++)
		expand(i);
	if (!o->too_many)
		find_stuck();
}
