#include "await.h"

#include "runtime/sched/policy.h"
#include "runtime/weak/weak.h"
#include "trace/execution_shared.h"
#include "explore_memory.h"

#define sh hd_rt_xsh

static uint64_t lesson_in_vain(uint64_t state, uintptr_t addr, uint64_t value)
{
	return hd_hash_all(hd_hash_triple(state, addr, value)) | 1;
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

bool hd_rt_await_in_vain(const struct fiber *f)
{
	const struct hd_fiber_look *l = &f->explore.look;

	return l->stands && l->state &&
	       hd_xwaits_has(&sh->waits,
			     lesson_in_vain(l->state, l->addr, value_at(l->addr, l->size)));
}

struct hd_xop hd_rt_await_op(const struct fiber *f)
{
	const struct hd_fiber_look *l = &f->explore.look;

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
		learn(lesson_in_vain(state, addr, l->value));
	*l = (struct hd_fiber_look){ .pc = me->pc,
				     .addr = addr,
				     .size = size,
				     .state = state,
				     .deeds = me->explore.deeds,
				     .writes = writes,
				     .stands = true };
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
	l->stands = false;
	if (l->pc)
		l->value = value_at(addr, size);
	hd_rt.mode |= HD_M_LOOKS; /* what it looks at besides is seen from now on */
}

void hd_rt_explore_changes(void)
{
	hd_rt.cur->explore.look.pc = 0;
}

void hd_rt_explore_besides(uintptr_t addr)
{
	struct fiber *me = hd_rt.cur;

	if (addr - me->stack.low < me->stack.top - me->stack.low)
		return;
	me->explore.deeds++;
	hd_rt.mode &= ~(uint32_t)HD_M_LOOKS;
}
