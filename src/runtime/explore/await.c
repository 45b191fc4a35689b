#include "await.h"

#include "runtime/sched/policy.h"
#include "runtime/weak/weak.h"
#include "trace/execution_shared.h"
#include "explore_memory.h"

#define sh hd_rt_xsh

/* @way: digest of what is read besides. */
static uint64_t lesson_in_vain(uint64_t state, uintptr_t addr, uint64_t value, uint64_t way)
{
	return hd_hash_all(hd_hash_triple(state, addr, value) + way) | 1;
}

/* A place where a thread looked twice in a row: only there states are worth computing. */
static uint64_t lesson_loop(uintptr_t pc)
{
	return 2 * hd_hash_place(pc, HD_X_LOOPS - 1);
}

/*
 * The explorer is told, and makes what this request taught known to all that come later. A
 * request that has taught too much goes on with looks in vain, which is no harm but to their number.
 */
static void learn(uint64_t lesson)
{
	if (hd_xwaits_has(&sh->waits, lesson) || sh->probing || sh->nlearnt == HD_X_LEARNT ||
	    sh->waits.n >= HD_X_FRUITLESS / 2)
		return;
	sh->learnt[sh->nlearnt++] = lesson;
	hd_xwaits_add(&sh->waits, lesson);
	hd_rt_explore_again();
}

static uint64_t value_at(uintptr_t addr, uint32_t size)
{
	switch (size) {
	case 1:
		return *(const uint8_t *)addr;
	case 2:
		return *(const uint16_t *)addr;
	case 4:
		return *(const uint32_t *)addr;
	default:
		return *(const uint64_t *)addr;
	}
}

static uint64_t further(uint64_t values, uintptr_t addr, uint32_t size)
{
	return hd_hash_all(hd_hash_triple(values, addr, value_at(addr, size)));
}

/* What it would find now on the way that it came. */
static uint64_t values_on_way(const struct hd_look_way *w)
{
	uint64_t values = 0;

	for (unsigned i = 0; i < w->n; i++)
		values = further(values, w->addr[i], w->size[i]);
	return values;
}

bool hd_rt_await_in_vain(const struct fiber *f)
{
	const struct hd_fiber_look *l = &f->explore.look;

	return l->stands && l->state &&
	       hd_xwaits_has(&sh->waits,
			     lesson_in_vain(l->state, l->addr, value_at(l->addr, l->size),
					    values_on_way(&l->way)));
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

/*
 * The current fiber is about to look at @addr. If the last look was in vain, that is known here, before anything
 * else is decided: so in an execution that is not made again nobody has looked in vain.
 */
static void look(struct hd_fiber_look *l, uintptr_t addr, unsigned size, bool writes)
{
	const struct fiber *me = hd_rt.cur;
	bool again = l->pc == me->pc && l->addr == addr && me->explore.deeds == l->deeds + 1;
	uint64_t state;

	if (again)
		learn(lesson_loop(me->pc));
	state = hd_xwaits_has(&sh->waits, lesson_loop(me->pc)) ? hd_rt_state_hash() : 0;
	if (again && state && state == l->state)
		learn(lesson_in_vain(state, addr, l->value, l->way.values));
	*l = (struct hd_fiber_look){ .pc = me->pc,
				     .addr = addr,
				     .size = size,
				     .state = state,
				     .deeds = me->explore.deeds,
				     .way = l->way,
				     .writes = writes,
				     .stands = true };
}

/* It is made now: what it finds, and what is read on the way to the next one. */
static void ends(struct hd_fiber_look *l)
{
	l->stands = false;
	l->way.n = 0;
	l->way.values = 0;
	if (l->pc)
		l->value = value_at(l->addr, l->size);
	hd_rt.mode |= HD_M_LOOKS;
}

void hd_rt_explore_point_at(uintptr_t addr, unsigned size, bool reads, bool writes)
{
	struct fiber *me = hd_rt.cur;
	struct hd_fiber_look *l = &me->explore.look;

	me->explore.writes = writes ? addr : 0;
	me->explore.reads = reads && hd_rt_is_weak();
	if (reads && size <= 8 && (addr & 7) + size <= 8 && !hd_rt_is_weak())
		look(l, addr, size, writes);
	else
		l->pc = 0;
	hd_rt_point();
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

void hd_rt_explore_changes(void)
{
	hd_rt.cur->explore.look.pc = 0;
}

static bool has_value(uint64_t size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

void hd_rt_explore_besides(uintptr_t addr, uint64_t size, bool write)
{
	struct fiber *me = hd_rt.cur;
	struct hd_look_way *w = &me->explore.look.way;

	if (addr - me->stack.low < me->stack.top - me->stack.low)
		return;
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
