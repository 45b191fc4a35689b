#include "task_programs.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- making programs --- */

static int below(struct hd_rng *r, int n)
{
	return n > 0 ? (int)(hd_rng_next(r) % (uint64_t)n) : 0;
}

static bool put_op(struct task_program *p, int task, enum task_op_kind kind, int what)
{
	struct small_task *t = &p->tasks[task];

	if (t->nops == OPS_MAX)
		return false;
	t->ops[t->nops++] = (struct task_op){ .kind = (uint8_t)kind, .what = (uint8_t)what };
	return true;
}

struct maker {
	struct task_program *p;
	struct hd_rng *r;
	const struct task_shape *shape;
	int futures, flags, budget;
	int held[8], nheld; /* of the step at hand */
	bool guarded;	    /* no access without a lock */
};

static bool holds(const struct maker *m, int lock)
{
	for (int i = 0; i < m->nheld; i++) {
		if (m->held[i] == lock)
			return true;
	}
	return false;
}

static void take(struct maker *m, int task)
{
	int lock = below(m->r, m->shape->locks);

	if (!holds(m, lock) && put_op(m->p, task, T_TAKE, lock))
		m->held[m->nheld++] = lock;
}

static void give(struct maker *m, int task)
{
	int i = m->shape->shape == LOCKS_ANY ? below(m->r, m->nheld) : m->nheld - 1;

	put_op(m->p, task, T_GIVE, m->held[i]);
	memmove(&m->held[i], &m->held[i + 1], (size_t)(--m->nheld - i) * sizeof(m->held[0]));
}

static void make_flag(struct maker *m, int task, int dice)
{
	if (dice == 0 && m->flags < m->shape->flags)
		put_op(m->p, task, T_SET, m->flags++);
	else if (dice == 1 && m->flags)
		put_op(m->p, task, T_POLL, below(m->r, m->flags));
	else if (dice == 2 && m->shape->adds)
		put_op(m->p, task, T_ADD, below(m->r, 2));
	else if (dice == 3 && m->shape->adds)
		put_op(m->p, task, T_TALLY, below(m->r, 2));
}

static void make_step(struct maker *m, int task)
{
	int n = below(m->r, m->shape->accesses + 1);
	int max_held = m->shape->shape == LOCKS_NONE ? 0 : m->shape->shape == LOCKS_FLAT ? 1 : 3;

	while (n > 0 && m->budget > 0 && m->p->tasks[task].nops < OPS_MAX - 12) {
		int dice = below(m->r, 10);

		if (m->nheld < max_held && (dice < 3 || (m->guarded && !m->nheld))) {
			take(m, task);
		} else if (dice < 5 && m->nheld) {
			give(m, task);
		} else {
			put_op(m->p, task, dice & 1 ? T_WRITE : T_READ, below(m->r, m->p->nvars));
			m->budget--;
			n--;
		}
		if (m->shape->flags)
			make_flag(m, task, below(m->r, 7));
	}
	while (m->nheld)
		give(m, task);
}

static void make_body(struct maker *m, int task, int scope, int depth);

static void make_task(struct maker *m, int creator, int scope, int depth)
{
	int task = m->p->ntasks++;

	m->p->tasks[task] = (struct small_task){ .creator = creator, .scope = scope };
	put_op(m->p, creator, T_SPAWN, task);
	make_body(m, task, scope, depth + 1);
}

static void make_construct(struct maker *m, int task, int scope, int depth)
{
	bool room = m->p->ntasks < m->shape->tasks && m->p->ntasks < TASKS_MAX &&
		    m->p->tasks[task].nops < OPS_MAX - 12;
	int dice = below(m->r, 8);

	if (dice < 4 && room) {
		make_task(m, task, scope, depth);
	} else if (dice < 6 && room && depth < 3) {
		int inner = m->p->nscopes++;

		put_op(m->p, task, T_FINISH, inner);
		make_body(m, task, inner, depth + 1);
		put_op(m->p, task, T_END_FINISH, inner);
	} else if (dice == 6 && m->futures < m->shape->futures) {
		put_op(m->p, task, T_PUT, m->futures++);
	} else if (dice == 7 && m->futures) {
		put_op(m->p, task, T_GET, below(m->r, m->futures));
	}
}

static void make_body(struct maker *m, int task, int scope, int depth)
{
	int parts = 1 + below(m->r, depth ? 3 : 5);

	for (int i = 0; i < parts; i++) {
		make_step(m, task);
		if (i + 1 < parts || depth == 0)
			make_construct(m, task, scope, depth);
	}
	make_step(m, task);
}

/* Numbers of steps and accesses. */
static void number_program(struct task_program *p)
{
	p->naccesses = 0;
	for (int t = 0; t < p->ntasks; t++) {
		int step = 0;

		for (int i = 0; i < p->tasks[t].nops; i++) {
			struct task_op *o = &p->tasks[t].ops[i];

			if (o->kind >= T_SPAWN)
				step++;
			o->step = (uint8_t)step;
			if (o->kind > T_WRITE)
				continue;
			assert(p->naccesses < ACCESS_MAX);
			p->access_task[p->naccesses] = (uint8_t)t;
			p->access_op[p->naccesses] = (uint8_t)i;
			o->number = (uint8_t)p->naccesses++;
		}
	}
}

void random_program(struct task_program *p, struct hd_rng *r, const struct task_shape *shape)
{
	struct maker m = { .p = p, .r = r, .shape = shape, .budget = 14 };

	m.guarded = shape->shape != LOCKS_NONE && below(r, 4);
	*p = (struct task_program){ .ntasks = 1, .nvars = shape->vars };
	p->tasks[0] = (struct small_task){ .creator = -1, .scope = -1 };
	make_body(&m, 0, -1, 0);
	number_program(p);
}

/*
 * Words: R and W with a variable (x y z), + and - with a lock (a b c), s and a task's number,
 * [ and ] for a finish, ! and ? with a future's number, = and ~ with a flag's, c and # with a
 * counter's. Tasks are separated by '|'; the first is 0.
 */
void parse_program(struct task_program *p, const char *text)
{
	int task = 0, scopes[16], depth = 0;

	*p = (struct task_program){ .ntasks = 1, .nvars = 3 };
	p->tasks[0].creator = p->tasks[0].scope = -1;
	for (const char *c = text; *c; c++) {
		int scope = depth ? scopes[depth - 1] : p->tasks[task].scope;

		if (*c == '|') {
			task++;
			depth = 0;
			p->ntasks = p->ntasks > task + 1 ? p->ntasks : task + 1;
		} else if (*c == 'R' || *c == 'W') {
			put_op(p, task, *c == 'R' ? T_READ : T_WRITE, c[1] - 'x');
			c++;
		} else if (*c == '+' || *c == '-') {
			put_op(p, task, *c == '+' ? T_TAKE : T_GIVE, c[1] - 'a');
			c++;
		} else if (strchr("=~c#", *c)) {
			put_op(p, task,
			       *c == '='   ? T_SET
			       : *c == '~' ? T_POLL
			       : *c == 'c' ? T_ADD
					   : T_TALLY,
			       c[1] - '0');
			c++;
		} else if (*c == 's') {
			int child = *++c - '0';

			p->tasks[child].creator = task;
			p->tasks[child].scope = scope;
			put_op(p, task, T_SPAWN, child);
		} else if (*c == '[') {
			scopes[depth++] = p->nscopes;
			put_op(p, task, T_FINISH, p->nscopes++);
		} else if (*c == ']') {
			put_op(p, task, T_END_FINISH, scopes[--depth]);
		} else if (*c == '!' || *c == '?') {
			put_op(p, task, *c == '!' ? T_PUT : T_GET, c[1] - '0');
			c++;
		}
	}
	number_program(p);
}

void print_program(const struct task_program *p)
{
	static const char words[] = { 'R', 'W', '+', '-', '=', '~', 'c',
				      '#', 's', '[', ']', '!', '?' };

	for (int t = 0; t < p->ntasks; t++) {
		printf("%s", t ? " | " : "program: ");
		for (int i = 0; i < p->tasks[t].nops; i++) {
			const struct task_op *o = &p->tasks[t].ops[i];

			putchar(words[o->kind]);
			if (o->kind <= T_WRITE)
				putchar('x' + o->what);
			else if (o->kind <= T_GIVE)
				putchar('a' + o->what);
			else if (o->kind != T_FINISH && o->kind != T_END_FINISH)
				putchar('0' + o->what);
			putchar(' ');
		}
	}
	putchar('\n');
}

/* --- running them --- */

struct state {
	int8_t at[TASKS_MAX]; /* -1: not created */
};

static bool is_over(const struct task_program *p, const struct state *s, int t)
{
	return s->at[t] == p->tasks[t].nops;
}

static bool lock_is_free(const struct task_program *p, const struct state *s, int lock)
{
	for (int t = 0; t < p->ntasks; t++) {
		bool held = false;

		for (int i = 0; i < s->at[t]; i++) {
			const struct task_op *o = &p->tasks[t].ops[i];

			if (o->what == lock && (o->kind == T_TAKE || o->kind == T_GIVE))
				held = o->kind == T_TAKE;
		}
		if (held)
			return false;
	}
	return true;
}

static bool was_put(const struct task_program *p, const struct state *s, enum task_op_kind kind,
		    int what)
{
	for (int t = 0; t < p->ntasks; t++) {
		for (int i = 0; i < s->at[t]; i++) {
			if (p->tasks[t].ops[i].kind == kind && p->tasks[t].ops[i].what == what)
				return true;
		}
	}
	return false;
}

/* Has all been added to @counter that the program does? */
static bool is_tallied(const struct task_program *p, const struct state *s, int counter)
{
	for (int t = 0; t < p->ntasks; t++) {
		for (int i = s->at[t] < 0 ? 0 : s->at[t]; i < p->tasks[t].nops; i++) {
			if (p->tasks[t].ops[i].kind == T_ADD && p->tasks[t].ops[i].what == counter)
				return false;
		}
	}
	return true;
}

static bool enabled(const struct task_program *p, const struct state *s, int t)
{
	const struct task_op *o;

	if (s->at[t] < 0 || is_over(p, s, t))
		return false;
	o = &p->tasks[t].ops[s->at[t]];
	if (o->kind == T_TAKE)
		return lock_is_free(p, s, o->what);
	if (o->kind == T_GET)
		return was_put(p, s, T_PUT, o->what);
	if (o->kind == T_POLL)
		return was_put(p, s, T_SET, o->what);
	if (o->kind == T_TALLY)
		return is_tallied(p, s, o->what);
	for (int k = 0; o->kind == T_END_FINISH && k < p->ntasks; k++) {
		if (p->tasks[k].scope == o->what && !is_over(p, s, k))
			return false;
	}
	return true;
}

static struct state step(const struct task_program *p, const struct state *s, int t)
{
	const struct task_op *o = &p->tasks[t].ops[s->at[t]];
	struct state next = *s;

	next.at[t]++;
	if (o->kind == T_SPAWN)
		next.at[o->what] = 0;
	return next;
}

static struct state start(const struct task_program *p)
{
	struct state s;

	memset(s.at, -1, sizeof(s.at));
	s.at[0] = 0;
	(void)p;
	return s;
}

/* Append the events of one operation. */
struct out {
	struct hd_event *events;
	size_t n, max;
};

static void emit(struct out *o, int task, enum hd_op op, uint64_t addr, uint64_t value, uint64_t pc)
{
	assert(o->n < o->max);
	o->events[o->n++] = (struct hd_event){
		.thread = (uint32_t)task + 1,
		.op = (uint8_t)op,
		.addr = addr,
		.value = value,
		.pc = pc,
		.size = op == HD_OP_READ || op == HD_OP_WRITE ? 8 : 0,
	};
}

/* A critical section: a flag is read, or written; a counter is both. */
static void emit_section(struct out *out, int task, enum task_op_kind kind, uint64_t what)
{
	uint64_t lock = 0x400 + what % 2 * 16, addr = FLAG_AT(what + (kind >= T_ADD ? 16 : 0));

	emit(out, task, HD_OP_ACQUIRE, lock, 0, 0);
	if (kind != T_SET)
		emit(out, task, HD_OP_READ, addr, 0, 0);
	if (kind == T_ADD)
		out->events[out->n - 1].arg = HD_ACCESS_IDLE;
	if (kind == T_SET || kind == T_ADD)
		emit(out, task, HD_OP_WRITE, addr, 0, 0);
	emit(out, task, HD_OP_RELEASE, lock, 0, 0);
}

static void begin_task(struct out *o, const struct task_program *p, int task)
{
	emit(o, task, HD_OP_TASK_BEGIN, 0, (uint64_t)task + 1, 0);
	if (!p->tasks[task].nops)
		emit(o, task, HD_OP_TASK_END, 0, (uint64_t)task + 1, 0);
}

static void emit_op(struct out *out, const struct task_program *p, int task,
		    const struct task_op *o)
{
	uint64_t what = o->what;

	switch (o->kind) {
	case T_READ:
	case T_WRITE:
		emit(out, task, o->kind == T_READ ? HD_OP_READ : HD_OP_WRITE, VAR_AT(what), 0,
		     o->number + 1u);
		out->events[out->n - 1].arg = o->kind == T_READ ? HD_ACCESS_IDLE : 0;
		break;
	case T_SET:
	case T_POLL:
	case T_ADD:
	case T_TALLY:
		emit_section(out, task, (enum task_op_kind)o->kind, what);
		break;
	case T_TAKE:
	case T_GIVE:
		emit(out, task, o->kind == T_TAKE ? HD_OP_ACQUIRE : HD_OP_RELEASE,
		     0x100 + what * 16, 0, 0);
		break;
	case T_SPAWN:
		emit(out, task, HD_OP_FORK, 0, what + 1, 0);
		emit(out, task, HD_OP_TASK_SPAWN, 0, what + 1, 0);
		begin_task(out, p, (int)what);
		break;
	case T_FINISH:
		emit(out, task, HD_OP_FINISH_BEGIN, 0, what, 0);
		break;
	case T_END_FINISH:
		for (int k = 0; k < p->ntasks; k++) {
			if (p->tasks[k].scope == (int)what)
				emit(out, task, HD_OP_JOIN, 0, (uint64_t)k + 1, 0);
		}
		emit(out, task, HD_OP_FINISH_END, 0, what, 0);
		break;
	default:
		emit(out, task, o->kind == T_PUT ? HD_OP_FUTURE_PUT : HD_OP_FUTURE_GET,
		     0x800 + what * 16, 0, 0);
	}
}

/* Somebody who waits for a flag may look at it now. */
static void emit_failed_polls(struct out *out, const struct task_program *p, const struct state *s,
			      struct hd_rng *r)
{
	for (int t = 0; t < p->ntasks; t++) {
		const struct task_op *o;

		if (s->at[t] < 0 || is_over(p, s, t))
			continue;
		o = &p->tasks[t].ops[s->at[t]];
		if ((o->kind == T_POLL || o->kind == T_TALLY) && !enabled(p, s, t) && !below(r, 4))
			emit_section(out, t, (enum task_op_kind)o->kind, o->what);
	}
}

size_t random_schedule(const struct task_program *p, struct hd_rng *r, struct hd_event *events,
		       size_t max)
{
	struct out out = { .events = events, .max = max };
	struct state s = start(p);
	bool done = false;

	begin_task(&out, p, 0);
	while (!done) {
		int able[TASKS_MAX], n = 0, t;
		const struct task_op *o;

		done = true;
		for (int k = 0; k < p->ntasks; k++) {
			if (enabled(p, &s, k))
				able[n++] = k;
			done &= is_over(p, &s, k);
		}
		if (done)
			break;
		if (!n)
			return 0;
		t = able[below(r, n)];
		o = &p->tasks[t].ops[s.at[t]];
		emit_failed_polls(&out, p, &s, r);
		emit_op(&out, p, t, o);
		s = step(p, &s, t);
		if (is_over(p, &s, t))
			emit(&out, t, HD_OP_TASK_END, 0, (uint64_t)t + 1, 0);
	}
	return out.n;
}

/* --- all interleavings --- */

#define STATES (1u << 15)

struct entry {
	uint64_t key;
	uint64_t ahead;	 /* accesses that some continuation makes */
	uint64_t search; /* the entry is of this one; others are free */
};

struct search {
	const struct task_program *p;
	struct truth *t;
	struct entry *table;
	uint64_t number;
	bool full;
};

static uint64_t key_of(const struct task_program *p, const struct state *s)
{
	uint64_t key = 1;

	for (int t = 0; t < p->ntasks; t++)
		key = key << 6 | (uint64_t)(s->at[t] + 1);
	return key;
}

static bool is_access(const struct task_op *o)
{
	return o->kind <= T_WRITE;
}

static bool unserializable(const struct task_op *e1, const struct task_op *f,
			   const struct task_op *e2)
{
	return e1->what == f->what && e2->what == f->what &&
	       (f->kind == T_WRITE || (e1->kind == T_WRITE && e2->kind == T_WRITE));
}

/* @f of task @t happens now; what can still happen after it is @ahead. */
static void note_triples(struct search *x, const struct state *s, int t, const struct task_op *f,
			 uint64_t ahead)
{
	for (int k = 0; k < x->p->ntasks; k++) {
		const struct small_task *other = &x->p->tasks[k];

		for (int i = 0; k != t && i < s->at[k]; i++) {
			const struct task_op *e1 = &other->ops[i];

			for (int j = s->at[k]; is_access(e1) && j < other->nops; j++) {
				const struct task_op *e2 = &other->ops[j];

				if (!is_access(e2) || e2->step != e1->step ||
				    !unserializable(e1, f, e2) || !(ahead >> e2->number & 1))
					continue;
				x->t->torn |= 1u << f->what;
				x->t->triples[e1->number][f->number] |= 1ull << e2->number;
			}
		}
	}
}

static void note_races(struct search *x, const struct state *s)
{
	for (int t = 0; t < x->p->ntasks; t++) {
		for (int k = 0; k < t; k++) {
			const struct task_op *a, *b;

			if (s->at[t] < 0 || is_over(x->p, s, t) || s->at[k] < 0 ||
			    is_over(x->p, s, k))
				continue;
			a = &x->p->tasks[t].ops[s->at[t]];
			b = &x->p->tasks[k].ops[s->at[k]];
			if (!is_access(a) || !is_access(b) || a->what != b->what ||
			    (a->kind == T_READ && b->kind == T_READ))
				continue;
			x->t->raced |= 1u << a->what;
			x->t->races[a->number] |= 1ull << b->number;
			x->t->races[b->number] |= 1ull << a->number;
		}
	}
}

/* What can still happen from @s on; everything true on the way is noted. */
static uint64_t look(struct search *x, const struct state *s)
{
	uint64_t key = key_of(x->p, s), ahead = 0;
	size_t at = (size_t)((key * 0x9e3779b97f4a7c15ull) >> 40) & (STATES - 1);

	while (x->table[at].search == x->number && x->table[at].key != key)
		at = (at + 1) & (STATES - 1);
	if (x->table[at].search == x->number)
		return x->table[at].ahead;
	if (x->full || ++x->t->states > STATES / 2) {
		x->full = true;
		return 0;
	}
	x->table[at] = (struct entry){ .key = key, .search = x->number };
	note_races(x, s);
	for (int t = 0; t < x->p->ntasks; t++) {
		const struct task_op *o;
		struct state next;
		uint64_t after;

		if (!enabled(x->p, s, t))
			continue;
		o = &x->p->tasks[t].ops[s->at[t]];
		next = step(x->p, s, t);
		after = look(x, &next);
		if (is_access(o)) {
			note_triples(x, s, t, o, after);
			after |= 1ull << o->number;
		}
		ahead |= after;
	}
	x->table[at].ahead = ahead;
	return ahead;
}

bool find_truth(const struct task_program *p, struct truth *t)
{
	static struct entry *table;
	static uint64_t searches;
	struct search x = { .p = p, .t = t, .number = ++searches };
	struct state s = start(p);

	if (!table)
		table = calloc(STATES, sizeof(*table));
	assert(table);
	x.table = table;
	memset(t, 0, sizeof(*t));
	look(&x, &s);
	return !x.full;
}

/* --- cycles of two steps --- */

struct cycle_search {
	const struct task_program *p;
	int s, t, s_step, t_step; /* tasks and steps */
	int x, y;
	const int *order; /* or: accesses to be made in this order */
	int norder;
	uint64_t *seen;
	size_t nseen;
	bool full;
};

#define CYCLE_STATES 65536u

static bool add_seen(struct cycle_search *c, uint64_t key)
{
	size_t at = (size_t)((key * 0x9e3779b97f4a7c15ull) >> 40) & (CYCLE_STATES - 1);

	while (c->seen[at] && c->seen[at] != key)
		at = (at + 1) & (CYCLE_STATES - 1);
	if (c->seen[at])
		return false;
	if (++c->nseen == CYCLE_STATES / 2)
		c->full = true;
	if (c->full)
		return false;
	c->seen[at] = key;
	return true;
}

/* Has task @t made an access of its step @in to @o's variable that conflicts with @o? */
static bool made(const struct task_program *p, const struct state *s, int t, int in,
		 const struct task_op *o)
{
	for (int i = 0; i < s->at[t]; i++) {
		const struct task_op *e = &p->tasks[t].ops[i];

		if (is_access(e) && e->step == in && e->what == o->what &&
		    (e->kind == T_WRITE || o->kind == T_WRITE))
			return true;
	}
	return false;
}

static int advance(const struct cycle_search *c, const struct state *s, int task,
		   const struct task_op *o, int flags)
{
	if (c->order) {
		for (int k = 0; is_access(o) && k < c->norder; k++) {
			if (c->order[k] == o->number)
				return k == flags ? flags + 1 : -1;
		}
		return flags;
	}
	if (!is_access(o))
		return flags;
	if (task == c->t && o->step == c->t_step && o->what == c->x &&
	    made(c->p, s, c->s, c->s_step, o))
		flags |= 1;
	if (task == c->s && o->step == c->s_step && o->what == c->y &&
	    made(c->p, s, c->t, c->t_step, o))
		flags |= 2;
	return flags;
}

static bool cycle_from(struct cycle_search *c, const struct state *s, int flags)
{
	if (flags == (c->order ? c->norder : 3))
		return true;
	if (!add_seen(c, key_of(c->p, s) * 8 + (uint64_t)flags))
		return false;
	for (int t = 0; t < c->p->ntasks; t++) {
		const struct task_op *o;
		struct state next;
		int then;

		if (!enabled(c->p, s, t))
			continue;
		o = &c->p->tasks[t].ops[s->at[t]];
		next = step(c->p, s, t);
		then = advance(c, s, t, o, flags);
		if (then >= 0 && cycle_from(c, &next, then))
			return true;
	}
	return false;
}

static bool search_cycle(struct cycle_search *c)
{
	static uint64_t *seen;
	struct state s = start(c->p);

	if (!seen)
		seen = calloc(CYCLE_STATES, sizeof(*seen));
	assert(seen);
	if (c->nseen || !c->seen)
		memset(seen, 0, CYCLE_STATES * sizeof(*seen));
	c->seen = seen;
	c->nseen = 0;
	return cycle_from(c, &s, 0);
}

static bool touches(const struct small_task *t, int step_number, int var)
{
	for (int i = 0; i < t->nops; i++) {
		if (is_access(&t->ops[i]) && t->ops[i].step == step_number && t->ops[i].what == var)
			return true;
	}
	return false;
}

static bool cycle_of_steps(struct cycle_search *c)
{
	const struct small_task *s = &c->p->tasks[c->s], *t = &c->p->tasks[c->t];

	for (c->x = 0; c->x < c->p->nvars; c->x++) {
		for (c->y = 0; c->y < c->p->nvars; c->y++) {
			if (c->x != c->y && touches(s, c->s_step, c->x) &&
			    touches(s, c->s_step, c->y) && touches(t, c->t_step, c->x) &&
			    touches(t, c->t_step, c->y) && search_cycle(c))
				return true;
		}
	}
	return false;
}

bool find_cycle_truth(const struct task_program *p, bool *cycle)
{
	struct cycle_search c = { .p = p };

	*cycle = false;

	for (c.s = 0; c.s < p->ntasks; c.s++) {
		for (c.t = 0; c.t < p->ntasks; c.t++) {
			for (c.s_step = 0; c.s != c.t && c.s_step < OPS_MAX; c.s_step++) {
				for (c.t_step = 0; c.t_step < OPS_MAX; c.t_step++) {
					if (cycle_of_steps(&c)) {
						*cycle = true;
						return true;
					}
				}
			}
		}
	}
	return !c.full;
}

bool order_is_possible(const struct task_program *p, const int *accesses, int n)
{
	struct cycle_search c = { .p = p, .order = accesses, .norder = n };

	return search_cycle(&c);
}
