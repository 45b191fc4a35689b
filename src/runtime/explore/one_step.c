#include "one_step.h"

#include "await.h"
#include "explore.h"
#include "explore_memory.h"
#include "lessons.h"
#include "runtime/memory/arena.h"
#include "runtime/thread/thread.h"
#include "trace/execution_shared.h"

#define sh hd_rt_xsh

/*
 * Of the first @n values that the variable may have: a look in @sooner that finds @value leads to the same as the change of
 * the variable in @state.
 */
static uint64_t lesson_alike(uint64_t sooner, uint64_t state, uintptr_t addr, uint64_t value,
			     uint32_t n)
{
	return hd_hash_all(hd_hash_triple(sooner + 4 + n, addr, value) + state) | 1;
}

static uint64_t lesson_unlike(uint64_t sooner, uint64_t state, uintptr_t addr, uint64_t value,
			      uint32_t n)
{
	return hd_hash_all(hd_hash_triple(sooner + 4 + n, value, addr) + state) | 1;
}

/* A look in @state that finds @value is in vain. */
static uint64_t lesson_idle(uint64_t state, uintptr_t addr, uint64_t value, uint32_t n)
{
	return hd_hash_all(hd_hash_triple(state + 5 + n, addr, value)) | 1;
}

static uint64_t lesson_busy(uint64_t state, uintptr_t addr, uint64_t value, uint32_t n)
{
	return hd_hash_all(hd_hash_triple(state + 5 + n, value, addr)) | 1;
}

/* At this place it was not so for the @n-th time, from 0. */
static uint64_t lesson_doubt(uintptr_t pc, uint32_t n)
{
	return hd_hash_all(hd_hash_triple(pc, n, 6)) | 1;
}

/* Another thread writes to the stack of this one; what its looks lead to is compared. */
static uint64_t lesson_written(uint32_t thread)
{
	return hd_hash_all(hd_hash_triple(thread, 0, 7)) | 1;
}

static uint64_t lesson_compared(uint32_t thread)
{
	return hd_hash_all(hd_hash_triple(thread, 0, 8)) | 1;
}

/* Without it, what goes together would not be the same in all executions. */
static void must_learn(uint64_t lesson)
{
	hd_rt_learn(lesson);
	hd_rt_learn_apart();
}

static void must_note(uint64_t lesson)
{
	if (!hd_rt_is_known(lesson) && !hd_rt_note(lesson))
		hd_rt_learn_apart();
}

/* ---- stacks that others write to -------------------------------------------------- */

bool hd_rt_together_shares_stack(const struct fiber *f)
{
	return sh->waits.stacks >> (f->id & 63) & 1;
}

static bool is_on_stack(const struct fiber *f, uintptr_t addr)
{
	return addr - f->stack.low < f->stack.top - f->stack.low;
}

void hd_rt_together_writes(uintptr_t addr)
{
	const struct fiber *f;

	if (!sh->together || sh->waits.apart || sh->probing || is_on_stack(hd_rt.cur, addr))
		return;
	for (f = hd_rt.all; f && (f->state == HD_F_DONE || !is_on_stack(f, addr)); f = f->next)
		;
	if (!f || hd_rt_together_shares_stack(f))
		return;
	if (hd_rt_is_known(lesson_compared(f->id)))
		must_learn(hd_x_lesson_stack(f->id));
	must_note(lesson_written(f->id));
}

void hd_rt_together_compares(void)
{
	const struct fiber *me = hd_rt.cur;

	if (!sh->together || sh->waits.apart || sh->probing || hd_rt_together_shares_stack(me))
		return;
	if (hd_rt_is_known(lesson_written(me->id)))
		must_learn(hd_x_lesson_stack(me->id));
	must_note(lesson_compared(me->id));
}

/* ---- variables, and what they have been ---------------------------------------------- */

static uint32_t
	seen; /* variables, by place, that an atomic operation has touched, and that are still there */

void hd_rt_together_touched(uintptr_t addr, uint64_t size)
{
	for (uint32_t i = 0; sh->together && i < sh->waits.nvars; i++) {
		const struct hd_xvar *v = &sh->waits.vars[i];

		if (v->addr < addr + size && addr < v->addr + v->size)
			seen |= 1u << i;
	}
}

void hd_rt_together_freed(uintptr_t addr, uint64_t size)
{
	for (uint32_t i = 0; i < sh->waits.nvars; i++) {
		if (sh->waits.vars[i].addr - addr < size)
			seen &= ~(1u << i);
	}
}

void hd_rt_together_watch(void)
{
	if (!sh->together || sh->waits.apart || sh->probing)
		return;
	for (uint32_t i = 0; i < sh->waits.nvars; i++) {
		const struct hd_xvar *v = &sh->waits.vars[i];
		uint64_t value = seen >> i & 1 ? hd_rt_look_value(v->addr, v->size) : 0;

		if ((seen >> i & 1) && !hd_xvar_has(v, value))
			must_learn(hd_x_lesson_value(i, value));
	}
}

/* ---- are they alike? ------------------------------------------------------------ */

/* Values that are found one after the other, from a state on. */
struct chain {
	uint64_t state;
	uint32_t order; /* as in struct hd_xsupposed */
	uint32_t n;
	uint64_t values[HD_X_CHAIN];
};

/* Two of them, which may lead to the same. */
struct two {
	struct chain one, other;
};

#define TWOS   24
#define DOUBTS 8

struct comparison {
	const struct hd_fiber_look *look; /* the variable */
	const struct hd_xvar *var;
	struct two list[TWOS];
	uint64_t met[TWOS]; /* where they led */
	uint32_t n;
};

static uint64_t question_of(const struct chain *c, uintptr_t addr)
{
	uint64_t q = hd_hash_triple(c->state, addr, c->order);

	for (uint32_t i = 0; i < c->n; i++)
		q = hd_hash_all(q + c->values[i]) + 1;
	return q;
}

/* The next execution is made to find the answer. */
static void __attribute__((noreturn)) ask(const struct hd_fiber_look *l, const struct chain *c)
{
	struct hd_xsupposed *s = &sh->supposed;

	*s = (struct hd_xsupposed){ .now = HD_X_SUPPOSE_SOON,
				    .thread = hd_rt.cur->id,
				    .size = l->size,
				    .addr = l->addr,
				    .state = c->state,
				    .n = c->n,
				    .order = c->order,
				    .answer = ++sh->nanswers };
	hd_rt_copy(s->values, c->values, sizeof(s->values));
	sh->answers[sh->nanswers - 1] = (struct hd_xanswer){ .question = question_of(c, l->addr) };
	hd_rt_explore_again();
}

static struct hd_xanswer answer(const struct hd_fiber_look *l, const struct chain *c)
{
	uint64_t q = question_of(c, l->addr);

	if (!c->n) /* where @l was made */
		return (struct hd_xanswer){ .state = c->state, .pc = l->pc, .with = l->with };
	for (uint32_t i = 0; i < sh->nanswers; i++) {
		if (sh->answers[i].question == q)
			return sh->answers[i];
	}
	if (sh->nanswers < HD_X_ANSWERS)
		ask(l, c);
	return (struct hd_xanswer){ 0 }; /* there is no room for it */
}

static bool was_met(const struct comparison *c, uint64_t met)
{
	for (uint32_t i = 0; i < c->n; i++) {
		if (c->met[i] == met)
			return true;
	}
	return false;
}

/* A chain that leads back to its beginning need not be made. */
static void begin_there(struct chain *c, uint64_t state)
{
	if (state == c->state)
		c->n = c->order = 0;
}

/* Do the two lead to the same, or both to such looks as are compared already? Else what comes of these is to be compared. */
static bool compare(struct comparison *c, const struct two *t, bool *more)
{
	const struct hd_xanswer a = answer(c->look, &t->one), b = answer(c->look, &t->other);
	uint64_t met;

	*more = false;
	if (!a.state || !b.state)
		return false;
	if (a.state == b.state && a.pc == b.pc)
		return true;
	if (!a.pc || a.pc != b.pc || a.with != b.with)
		return false;
	met = hd_hash_pair(a.state, b.state);
	if (was_met(c, met))
		return true;
	if (c->n == TWOS || t->one.n == HD_X_CHAIN || t->other.n == HD_X_CHAIN)
		return false;
	c->met[c->n] = met;
	c->list[c->n] = *t;
	begin_there(&c->list[c->n].one, a.state);
	begin_there(&c->list[c->n++].other, b.state);
	*more = true;
	return true;
}

/* Does each value lead both to the same, or on to two that are alike? */
static bool go_on(struct comparison *c, const struct two *from)
{
	for (uint32_t i = 0; i < c->var->n; i++) {
		struct two t = *from;
		bool more;

		t.one.values[t.one.n++] = t.other.values[t.other.n++] = c->var->values[i];
		if (!compare(c, &t, &more))
			return false;
	}
	return true;
}

static bool find_out(const struct hd_fiber_look *l, const struct two *first,
		     const struct hd_xvar *v)
{
	struct comparison c = { .look = l, .var = v };
	bool more;

	if (!compare(&c, first, &more))
		return false;
	for (uint32_t i = 0; i < c.n; i++) {
		const struct two from = c.list[i];

		if (!go_on(&c, &from))
			return false;
	}
	return true;
}

/*
 * A loop that counts is in another state in each round, and asking about each of them would take long. After so many that were not
 * so, no more are asked for at this place.
 */
static bool is_hopeless(void)
{
	return hd_rt_is_known(lesson_doubt(hd_rt.cur->pc, DOUBTS - 1));
}

static void note_doubt(void)
{
	uint32_t n = 0;

	while (n < DOUBTS && hd_rt_is_known(lesson_doubt(hd_rt.cur->pc, n)))
		n++;
	if (n < DOUBTS && !hd_rt_note(lesson_doubt(hd_rt.cur->pc, n)))
		hd_rt_learn_apart();
}

/* What is known, or else can be found out: @yes or @no. */
static bool is_so(const struct hd_fiber_look *l, const struct two *first, const struct hd_xvar *v,
		  uint64_t yes, uint64_t no)
{
	bool is;

	if (hd_rt_is_known(yes) || hd_rt_is_known(no) || is_hopeless())
		return hd_rt_is_known(yes);
	is = find_out(l, first, v);
	must_note(is ? yes : no);
	if (!is)
		note_doubt();
	return is;
}

static bool is_alike(const struct hd_fiber_look *l, uint64_t state, uint64_t value,
		     const struct hd_xvar *v)
{
	const struct two first = {
		.one = { .state = l->state, .n = 1, .values = { value } },
		.other = { .state = state, .order = l->order, .n = 1, .values = { value } }
	};

	return is_so(l, &first, v, lesson_alike(l->state, state, l->addr, value, v->n),
		     lesson_unlike(l->state, state, l->addr, value, v->n));
}

/* ---- executions that answer ------------------------------------------------------ */

static void fill_in(uint64_t state, uintptr_t pc, uint64_t with)
{
	struct hd_xanswer *a = &sh->answers[sh->supposed.answer - 1];

	a->state = state;
	a->pc = pc;
	a->with = with;
}

/* Was the first of the looks as it has to be? */
static bool was_right(const struct hd_fiber_look *l)
{
	const struct hd_xsupposed *s = &sh->supposed;

	return s->at || !s->order || (!l->changes && l->order >= s->order);
}

bool hd_rt_together_looks_again(const struct hd_fiber_look *l, uint64_t state)
{
	struct hd_xsupposed *s = &sh->supposed;

	if (!s->answer || !state || l->changes || l->order == HD_LOOK_UNKNOWN || !was_right(l))
		return false;
	if (++s->at < s->n) {
		s->now = HD_X_SUPPOSE_NEXT;
		return true;
	}
	fill_in(state, hd_rt.cur->pc, hd_rt.cur->explore.with);
	hd_rt_suppose_end();
}

void hd_rt_together_tried(const struct hd_fiber_look *l, uint64_t next)
{
	const struct hd_xsupposed *s = &sh->supposed;

	if (!s->answer)
		hd_rt_note(hd_rt_lesson_step(s->state, s->addr, s->values[0], next));
	else if (s->at + 1 == s->n && was_right(l))
		fill_in(next, 0, 0);
}

/* ---- what goes together ---------------------------------------------------------- */

/* Its states are to be computed. */
static void learn_places(uintptr_t look, uintptr_t change)
{
	bool any = hd_rt_note(hd_rt_lesson_loop(look));

	any |= hd_rt_note(hd_rt_lesson_loop(change));
	if (any)
		hd_rt_explore_again();
	if (!hd_rt_is_loop(look) || !hd_rt_is_loop(change))
		hd_rt_learn_apart();
}

/* It is what an execution is made for. */
static bool is_tried(uint64_t state)
{
	const struct hd_xsupposed *s = &sh->supposed;

	return s->now == HD_X_SUPPOSE_SOON && s->answer && s->thread == hd_rt.cur->id &&
	       s->state == state;
}

/* The variable, if what is known of its values will do; NULL: it will not. Its states are computed from now on. */
static const struct hd_xvar *find_var(const struct hd_fiber_look *l)
{
	const struct hd_xvar *v = hd_xwaits_var(&sh->waits, l->addr, l->size);

	if (!sh->together || sh->waits.apart || sh->probing || hd_rt_signals_handled() ||
	    (sh->uses & HD_X_USES_OUTSIDE) || (!v && sh->waits.nvars == HD_X_VARS))
		return NULL;
	learn_places(l->pc, hd_rt.cur->pc);
	if (!v)
		must_learn(hd_x_lesson_var(l->addr, (unsigned)__builtin_ctz(l->size)));
	hd_rt_together_compares();
	return v && v->n <= HD_X_VALUES ? v : NULL;
}

bool hd_rt_goes_together(const struct hd_fiber_look *l, uint64_t state)
{
	const struct hd_xvar *v;

	if (hd_rt_explore_is_tried())
		return true;
	v = find_var(l);
	if (!v || !l->state || !state)
		return false;
	if (is_tried(state))
		return true;
	for (uint32_t i = 0; i < v->n; i++) {
		if (v->values[i] != l->value && !is_alike(l, state, v->values[i], v))
			return false;
	}
	return true;
}

void hd_rt_looks_idly(const struct hd_fiber_look *l, uint64_t state)
{
	const struct two first = { .one = { .state = l->state, .n = 1, .values = { l->value } },
				   .other = { .state = l->state } };
	const struct hd_xvar *v;
	uint64_t idle;

	if (hd_rt_explore_is_tried() || l->order == HD_LOOK_UNKNOWN)
		return;
	v = find_var(l);
	if (!v || !l->state || !state)
		return;
	idle = lesson_idle(l->state, l->addr, l->value, v->n);
	if (!hd_rt_is_known(idle) &&
	    is_so(l, &first, v, idle, lesson_busy(l->state, l->addr, l->value, v->n)))
		hd_rt_explore_again();
}

bool hd_rt_is_idle(const struct hd_fiber_look *l)
{
	const struct hd_xvar *v = hd_xwaits_var(&sh->waits, l->addr, l->size);

	return v && sh->together && !sh->waits.apart && v->n <= HD_X_VALUES &&
	       hd_rt_is_known(
		       lesson_idle(l->state, l->addr, hd_rt_look_value(l->addr, l->size), v->n));
}
