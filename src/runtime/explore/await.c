#include "await.h"

#include "runtime/memory/arena.h"
#include "runtime/memory/mapped_twice.h"
#include "runtime/sched/policy.h"
#include "runtime/weak/weak.h"
#include "trace/execution_shared.h"
#include "explore_memory.h"
#include "lessons.h"
#include "one_step.h"

#define sh hd_rt_xsh

static uint64_t further(uint64_t values, uintptr_t addr, uint32_t size)
{
	return hd_hash_all(hd_hash_triple(values, addr, hd_rt_look_value(addr, size)));
}

/* What it would find now on the way that it came. */
static uint64_t values_on_way(const struct hd_look_way *w)
{
	uint64_t values = 0;

	for (unsigned i = 0; i < w->n; i++)
		values = further(values, w->addr[i], w->size[i]);
	return values;
}

/* Of the first look in a loop it is not known what is read in a round; if nothing is, what was read before makes no difference. */
bool hd_rt_await_in_vain(const struct fiber *f)
{
	const struct hd_fiber_look *l = &f->explore.look;
	uint64_t value, way;

	if (!l->stands || !l->state)
		return false;
	value = hd_rt_look_value(l->addr, l->size);
	way = values_on_way(&l->way);
	return hd_rt_is_known(hd_rt_lesson_in_vain(l->state, l->addr, value, 0)) ||
	       (way && hd_rt_is_known(hd_rt_lesson_in_vain(l->state, l->addr, value, way))) ||
	       hd_rt_is_idle(l);
}

/* Has anybody written the variable that @f looks at since its look before? */
static bool is_written_since(const struct fiber *f)
{
	const struct hd_xop own = hd_rt_await_op(f);

	for (uint32_t i = sh->nops; i-- > f->explore.look.look_made;) {
		const struct hd_xop *op = &sh->ops[i];

		if (op->thread != f->id && op->object == own.object && (op->bytes & own.bytes) &&
		    !hd_xop_is_shared(op))
			return true;
	}
	return false;
}

/* The look before is at the same variable, and would find now what it found then. */
static bool is_late_by_value(const struct fiber *f)
{
	const struct hd_fiber_look *l = &f->explore.look;

	return sh->rounds && l->stands && l->after_look &&
	       hd_rt_look_value(l->addr, l->size) == l->look_value && is_written_since(f);
}

/* The latest look of its round that, made now, would lead to the same as the one that @f stands before; -1: none. */
static int32_t is_late_to(const struct fiber *f)
{
	const struct hd_fiber_look *l = &f->explore.look;
	const struct hd_look_round *r = &f->explore.round;
	uint64_t value;
	int32_t i;

	if (!sh->rounds || !l->stands || !l->state || r->in_vain || r->n < 2 || is_late_by_value(f))
		return -1;
	value = hd_rt_look_value(l->addr, l->size);
	for (i = (int32_t)r->n - 2; i >= 0 && !r->looks[i].not_only; i--) {
		if (r->looks[i].state && r->looks[i].addr == l->addr &&
		    hd_rt_is_known(hd_rt_lesson_late(r->looks[i].state, l->state, l->addr, value)))
			return i;
	}
	return -1;
}

bool hd_rt_await_is_known_late(const struct fiber *f)
{
	bool late = is_late_to(f) >= 0;

	if (late)
		hd_rt_explore_uses(HD_X_USES_ROUNDS);
	return late;
}

static bool is_late(const struct fiber *f)
{
	/* Up to there it goes as it was asked for, when it may not have been known. */
	return is_late_by_value(f) || (sh->nnodes >= sh->nprefix && hd_rt_await_is_known_late(f));
}

bool hd_rt_await_stops(const struct fiber *f)
{
	return f->weak.in_vain ||
	       (f->explore.look.stands && (f->explore.round.in_vain || is_late(f)));
}

bool hd_rt_await_stands(const struct fiber *f)
{
	return f->explore.look.stands || f->weak.in_vain;
}

/* Would one of the looks from @from on, of the round, find something else now? */
static bool is_changed(const struct hd_look_round *r, uint32_t from, uint32_t n)
{
	for (uint32_t i = from; i < n; i++) {
		if (hd_rt_look_value(r->looks[i].addr, r->looks[i].size) != r->looks[i].value)
			return true;
	}
	return false;
}

/* By a memory model: the same of what was newest. */
static bool is_newest_changed(const struct hd_fiber_weak *w)
{
	for (unsigned i = w->vain_from; i < w->nreads; i++) {
		if (hd_rt_look_value(w->reads[i].addr, w->reads[i].size) != w->reads[i].value)
			return true;
	}
	return false;
}

bool hd_rt_await_would_differ(const struct fiber *f)
{
	const struct hd_look_round *r = &f->explore.round;
	int32_t late_to;

	if (f->weak.in_vain)
		return is_newest_changed(&f->weak);
	if (is_late_by_value(f) || r->in_vain)
		return is_late_by_value(f) || is_changed(r, 0, r->n);
	late_to = is_late_to(f);
	return late_to >= 0 && is_changed(r, (uint32_t)late_to, r->n - 1);
}

struct hd_xop hd_rt_await_op(const struct fiber *f)
{
	const struct hd_fiber_look *l = &f->explore.look;

	if (l->lock)
		return (struct hd_xop){ .object = hd_rt_explore_object(l->lock),
					.thread = f->id,
					.kind = HD_X_WRITE,
					.bytes = 0xff };
	return (struct hd_xop){ .object = (l->addr >> 3) * 2,
				.thread = f->id,
				.kind = l->writes ? HD_X_WRITE : HD_X_READ,
				.bytes = (uint8_t)(((1u << l->size) - 1) << (l->addr & 7)) };
}

/* The round as it was up to the look that is about to be made; @pure: since the last one there was nothing else. */
static bool goes_round(struct hd_look_round *r, const struct hd_fiber_look *l, bool pure)
{
	if (!pure) {
		r->n = 0;
	} else if (r->n) {
		r->looks[r->n - 1].value = l->value;
		r->looks[r->n - 1].order = l->order;
		r->looks[r->n - 1].failed = l->failed;
		r->looks[r->n - 1].not_only = l->lock || l->way.n;
	}
	for (uint32_t i = 0; i < r->n && sh->rounds; i++) {
		if (r->looks[i].pc == hd_rt.cur->pc)
			return true;
	}
	return false;
}

static void forget_looks(struct hd_look_round *r, uint32_t n)
{
	r->n -= n;
	for (uint32_t i = 0; i < r->n; i++)
		r->looks[i] = r->looks[i + n];
}

/* It is in @state before a look at @addr: has it been, in this round? */
static void end_round(struct hd_look_round *r, uintptr_t addr, unsigned size, uint64_t state)
{
	r->in_vain = false;
	for (uint32_t i = 0; i < r->n && state && sh->rounds; i++) {
		if (r->looks[i].state != state || r->looks[i].pc != hd_rt.cur->pc ||
		    r->looks[i].addr != addr)
			continue;
		forget_looks(r, i);
		r->in_vain = true;
		hd_rt_explore_uses(HD_X_USES_ROUNDS);
		return;
	}
	if (r->n == HD_LOOK_ROUND)
		forget_looks(r, 1);
	r->looks[r->n].pc = hd_rt.cur->pc;
	r->looks[r->n].addr = addr;
	r->looks[r->n].size = size;
	r->looks[r->n].order = HD_LOOK_UNKNOWN;
	r->looks[r->n].failed = r->looks[r->n].not_only = false;
	r->looks[r->n++].state = state;
}

/* Could the look before, @l, as well be made just before the read-modify-write that is about to be? */
static bool may_come_later(const struct hd_fiber_look *l, uintptr_t addr, unsigned size,
			   bool writes)
{
	uint32_t order = hd_rt.cur->explore.order;

	return writes && !l->writes && !l->lock && !l->way.n && l->addr == addr &&
	       l->size == size && l->order != HD_LOOK_UNKNOWN && order >= l->order;
}

/*
 * Of the current fiber, which is about to make an operation at @addr; 0: not known. What was learnt before its stack was known
 * to be shared is of other states.
 */
static uint64_t state_before(uintptr_t addr)
{
	const struct fiber *me = hd_rt.cur;
	uint64_t state = hd_rt_state_hash();
	uint64_t who = 2 * (uint64_t)me->id + hd_rt_together_shares_stack(me);

	return state ? hd_hash_triple(state + who, addr, me->explore.with) | 1 : 0;
}

/* ... which is about to end with @result: what was on its stack is gone, what is kept for it is given to destructors. */
static uint64_t state_before_end(uintptr_t result)
{
	return hd_hash_triple(hd_rt_kept_hash(), result, hd_rt.cur->id) | 1;
}

/* ---- what another value would have led to -------------------------------------- */

/* The look that @l is: in an execution that is made for that it finds another value. */
static void suppose(struct hd_fiber_look *l)
{
	struct hd_xsupposed *s = &sh->supposed;

	if (s->now == HD_X_SUPPOSE_NEXT && s->thread == hd_rt.cur->id) {
		s->now = HD_X_SUPPOSED;
		hd_rt_copy((void *)l->addr, &s->values[s->at], s->size);
		return;
	}
	if (s->now != HD_X_SUPPOSE_SOON || s->thread != hd_rt.cur->id || s->state != l->state ||
	    s->addr != l->addr || s->size != l->size)
		return;
	s->now = HD_X_SUPPOSED;
	sh->end = HD_X_END_PROBED; /* even if it dies of that */
	hd_rt_copy((void *)l->addr, &s->values[0], s->size);
}

/* Is a look at what @l has looked at among those before it in the round, from @i on down, that could be made in its place? */
static bool find_earlier(const struct hd_look_round *r, const struct hd_fiber_look *l, uint32_t *i,
			 bool *failed)
{
	while ((*i)-- > 0 && !r->looks[*i].not_only) {
		*failed |= r->looks[*i].failed;
		if (((*failed && !l->changes) || r->looks[*i].pc == l->pc) && r->looks[*i].state &&
		    r->looks[*i].addr == l->addr && r->looks[*i].size == l->size &&
		    r->looks[*i].order != HD_LOOK_UNKNOWN && r->looks[*i].order <= l->order)
			return true;
	}
	return false;
}

/* The current fiber is about to do the next thing after its look @l, in @state: what came of that. */
static uint64_t came_of(const struct hd_fiber_look *l, uint64_t state)
{
	return state && l->changes ? hd_hash_pair(state, hd_rt_look_value(l->addr, l->size)) | 1
				   : state;
}

/*
 * The last look of the round, @l, has led to @state. Would an earlier one, made in its place, have led
 * there as well? In a loop, or where a compare-and-swap has failed in between, that is tried.
 */
static void compare_looks(const struct hd_look_round *r, const struct hd_fiber_look *l,
			  uint64_t (*state_then)(uintptr_t), uintptr_t at)
{
	uint32_t i = r->n ? r->n - 1 : 0;
	bool failed = l->failed;
	uint64_t state = 0;

	while (find_earlier(r, l, &i, &failed)) {
		uint64_t then = r->looks[i].state;

		if (!state)
			state = came_of(l, state_then(at));
		if (!state || state == l->state) /* the look was in vain */
			return;
		hd_rt_together_compares();
		if (hd_rt_is_known(hd_rt_lesson_step(then, l->addr, l->value, state)))
			hd_rt_learn(hd_rt_lesson_late(then, l->state, l->addr, l->value));
		if (!hd_rt_note(hd_rt_lesson_supposed(then, l->addr, l->value)))
			continue;
		sh->supposed = (struct hd_xsupposed){ .now = HD_X_SUPPOSE_SOON,
						      .thread = hd_rt.cur->id,
						      .size = l->size,
						      .addr = l->addr,
						      .state = then,
						      .values = { l->value },
						      .n = 1 };
		hd_rt_explore_again();
	}
}

/*
 * The current fiber is about to do something that others may notice or have a part in, the first such thing after its look
 * @l: then it is in the state that @state_then tells of @at. If the look has found what was supposed, it is known now
 * what that leads to.
 */
static void goes_on(const struct hd_fiber_look *l, uint64_t (*state_then)(uintptr_t), uintptr_t at)
{
	const struct fiber *me = hd_rt.cur;
	const struct hd_xsupposed *s = &sh->supposed;
	bool first = l->pc && me->explore.deeds == l->deeds + 1 && !l->way.n;
	uint64_t state;

	if (s->now == HD_X_SUPPOSED) {
		state = first ? came_of(l, state_then(at)) : 0;
		if (state)
			hd_rt_together_tried(l, state);
		hd_rt_suppose_end();
	}
	if (first && sh->rounds && l->state && !l->lock && l->order != HD_LOOK_UNKNOWN &&
	    !(sh->uses & HD_X_USES_OUTSIDE))
		compare_looks(&me->explore.round, l, state_then, at);
}

/*
 * The current fiber is about to look at @addr. If the last look was in vain, that is known here, before anything
 * else is decided: so in an execution that is not made again nobody has looked in vain.
 */
static void look(struct hd_fiber_look *l, uintptr_t addr, unsigned size, bool writes)
{
	struct fiber *me = hd_rt.cur;
	bool pure = l->pc && !l->changes && me->explore.deeds == l->deeds + 1;
	bool again = pure && l->pc == me->pc && l->addr == addr;
	bool later = pure && may_come_later(l, addr, size, writes);
	uint64_t state;

	if (sh->supposed.now != HD_X_SUPPOSED || !pure || l->addr != addr || l->size != size ||
	    !hd_rt_together_looks_again(l, state_before(addr)))
		goes_on(l, state_before, addr);
	if (goes_round(&me->explore.round, l, pure) || again)
		hd_rt_learn(hd_rt_lesson_loop(me->pc));
	if (pure && l->addr == addr && sh->rounds && hd_rt_is_loop(me->pc))
		hd_rt_learn(
			hd_rt_lesson_loop(l->pc)); /* the look before a loop is to be known, too */
	state = hd_rt_is_loop(me->pc) ? state_before(addr) : 0;
	if (again && state && state == l->state)
		hd_rt_learn(hd_rt_lesson_in_vain(state, addr, l->value, l->way.values));
	else if (again && l->size == size && !l->lock && !l->way.n)
		hd_rt_looks_idly(l, state);
	end_round(&me->explore.round, addr, size, state);
	l->together = later && hd_rt_goes_together(l, state);
	*l = (struct hd_fiber_look){
		.pc = me->pc,
		.addr = addr,
		.size = size,
		.state = state,
		.deeds = me->explore.deeds,
		.with = me->explore.with,
		.way = l->way,
		.order = me->explore.order,
		.after_look = later,
		.together = l->together,
		.look_made = l->made,
		.look_value = l->value,
		.writes = writes,
		.stands = true,
	};
}

/* It is made now: what it finds, and what is read on the way to the next one. */
static void ends(struct hd_fiber_look *l)
{
	l->stands = false;
	l->made = sh->nops;
	l->way.n = 0;
	l->way.values = 0;
	if (l->pc) {
		suppose(l);
		l->value = hd_rt_look_value(l->addr, l->size);
	}
	hd_rt.mode |= HD_M_LOOKS;
}

/*
 * By a memory model: the current fiber is about to read. If it is where it was before an earlier read, and has done nothing
 * but read since, then this is a round of a loop that can be left out of the execution: without its reads there is less that
 * has to be in order, and all else stays as it is. If it has not always read what was newest, or has failed for no reason,
 * that execution is made elsewhere: there the newest was one to choose as well. Else it stops, as after a round in vain
 * without a model.
 */
static void read_on(struct fiber *me, uintptr_t addr, unsigned size)
{
	struct hd_fiber_weak *w = &me->weak;
	uint64_t state = sh->rounds && !sh->random ? state_before(addr) : 0;

	w->in_vain = false;
	if (!state || me->explore.deeds != w->deeds + 1)
		w->nreads = 0;
	w->deeds = me->explore.deeds;
	if (!state)
		return;
	for (unsigned i = 0; i < w->nreads && !w->in_vain; i++) {
		if (w->reads[i].state != state)
			continue;
		if (w->reads[i].nstale != w->nstale)
			hd_rt_explore_redundant();
		hd_rt_explore_uses(HD_X_USES_ROUNDS);
		w->in_vain = true;
		w->vain_from = i;
	}
	if (w->in_vain)
		return;
	if (w->nreads == HD_WEAK_ROUNDS) /* a long round: it is not seen to be one */
		w->nreads = 0;
	w->reads[w->nreads].state = state;
	w->reads[w->nreads].addr = addr;
	w->reads[w->nreads].size = size;
	w->reads[w->nreads++].nstale = w->nstale;
}

/* It reads now. */
static void reads_on(struct hd_fiber_weak *w, uintptr_t addr, unsigned size)
{
	w->in_vain = false;
	if (w->nreads)
		w->reads[w->nreads - 1].value = hd_rt_look_value(addr, size);
}

/* It is no look, what the current fiber is about to do at @addr. */
static void does_more(struct hd_fiber_look *l, uintptr_t addr)
{
	if (!hd_rt_is_weak())
		goes_on(l, state_before, addr);
	l->pc = 0;
}

void hd_rt_explore_point_at(uintptr_t addr, unsigned size, bool reads, bool writes)
{
	struct fiber *me = hd_rt.cur;
	struct hd_fiber_look *l = &me->explore.look;

	addr = hd_rt_name_of(addr);
	if (reads && hd_rt_is_weak())
		read_on(me, addr, size);
	me->explore.writes = writes ? addr : 0;
	me->explore.reads = reads && hd_rt_is_weak();
	hd_rt_together_touched(addr, size);
	if (reads && size <= 8 && (addr & 7) + size <= 8 && !hd_rt_is_weak())
		look(l, addr, size, writes);
	else
		does_more(l, addr);
	if (sh->supposed.now != HD_X_SUPPOSE_NEXT)
		hd_rt_point();
	else
		hd_rt_worked(
			0); /* as a point does: what counts accesses in line begins anew, and is seen in registers */
	if (me->explore.reads)
		reads_on(&me->weak, addr, size);
	me->explore.writes = 0;
	me->explore.reads = false;
	ends(l);
}

void hd_rt_explore_point_to_try(uintptr_t lock, const int *word)
{
	struct hd_fiber_look *l = &hd_rt.cur->explore.look;

	if (hd_rt_is_weak()) {
		hd_rt_point();
		return;
	}
	look(l, (uintptr_t)word, sizeof(*word), true);
	l->lock = lock;
	hd_rt_point();
	ends(l);
}

void hd_rt_explore_failed(bool acquires)
{
	struct hd_fiber_look *l = &hd_rt.cur->explore.look;

	l->failed = true;
	l->order = acquires ? HD_LOOK_ACQUIRES : HD_LOOK_RELAXED;
}

void hd_rt_explore_written(void)
{
	hd_rt.cur->explore.look.changes = true;
}

void hd_rt_explore_thread_ends(uintptr_t result)
{
	struct hd_fiber_look *l = &hd_rt.cur->explore.look;

	if (!hd_rt_is_weak())
		goes_on(l, state_before_end, result);
	l->pc = 0;
}

void hd_rt_explore_changes(void)
{
	hd_rt.cur->explore.look.pc = 0;
}

static bool looks_into(const struct fiber *f, uintptr_t addr, uint64_t size)
{
	const struct hd_fiber_look *l = &f->explore.look;
	bool any = l->addr - addr < size;

	for (unsigned i = 0; i < l->way.n; i++)
		any |= l->way.addr[i] - addr < size;
	for (unsigned i = 0; i < f->explore.round.n; i++)
		any |= f->explore.round.looks[i].addr - addr < size;
	return any;
}

void hd_rt_await_freed(uintptr_t addr, uint64_t size)
{
	hd_rt_together_freed(addr, size);
	for (struct fiber *f = hd_rt.all; f; f = f->next) {
		if (f->explore.wants == HD_TS_SEM && f->explore.wants_addr - addr < size)
			f->explore.wants = HD_TS_RUNNING;
		if (!looks_into(f, addr, size))
			continue;
		f->explore.look.pc = 0;
		f->explore.look.stands = f->explore.look.after_look = false;
		f->explore.round.n = 0;
		f->explore.round.in_vain = false;
	}
}

static bool has_value(uint64_t size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

void hd_rt_explore_besides(uintptr_t addr, uint64_t size, bool write)
{
	struct fiber *me = hd_rt.cur;
	struct hd_look_way *w = &me->explore.look.way;

	if (addr - me->stack.low < me->stack.top - me->stack.low &&
	    (write || !hd_rt_together_shares_stack(me)))
		return;
	me->explore.with = 2 * size + write;
	goes_on(&me->explore.look, state_before, addr);
	me->explore.with = 0;
	if (!write && has_value(size) && w->n < HD_LOOK_WAY) {
		w->values = further(w->values, addr, (uint32_t)size);
		w->addr[w->n] = addr;
		w->size[w->n++] = (uint8_t)size;
		return;
	}
	me->explore.deeds++;
	hd_rt.mode &= ~(uint32_t)HD_M_LOOKS;
}

void hd_rt_await_goes_on(const struct fiber *f)
{
	if (f->explore.look.pc)
		hd_rt.mode |= HD_M_LOOKS;
}
