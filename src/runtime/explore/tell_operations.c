/*
 * What threads do, told to the explorer operation by operation: what each touches, and which of them make one step.
 */
#include "policy_explore.h"

#include "await.h"
#include "common/map.h"
#include "equal_threads.h"
#include "explore.h"
#include "explore_memory.h"
#include "runtime/memory/mapped_twice.h"
#include "runtime/thread/thread.h"
#include "state.h"
#include "trace/event_meaning.h"

#define sh hd_rt_xsh

uint32_t hd_rt_op_thread;

static bool announcing;	   /* the operation is a weak one: what it does is decided next */
static uint32_t announced; /* so many operations with it; 0: none */

void hd_rt_tell_op(uint32_t thread, enum hd_xop_kind kind, uint64_t object, uint8_t bytes,
		   bool resumed)
{
	struct hd_xop *op;

	if (sh->nops == HD_X_OPS)
		hd_rt_explore_stop_untold(HD_X_END_FULL); /* no room to tell more */
	if (kind != HD_X_STEP && thread == hd_rt.cur->id && hd_rt.cur->explore.waited_in_loop) {
		hd_rt.cur->explore.waited_in_loop = false;
		resumed = true;
	}
	hd_rt_equal_does(thread, kind, object);
	op = &sh->ops[sh->nops++];
	*op = (struct hd_xop){ .object = object,
			       .thread = thread,
			       .source =
				       kind == HD_X_FORK ? hd_rt_equal_first((uint32_t)object) : 0,
			       .kind = (uint8_t)kind,
			       .bytes = bytes,
			       .resumed = resumed,
			       .begins = hd_rt_op_thread != thread };
	hd_rt_op_thread = thread;
	if (sh->nnodes)
		sh->nodes[sh->nnodes - 1].nops++;
	if (!announcing)
		hd_rt_sleep_wake(op);
}

static void tell(enum hd_xop_kind kind, uint64_t object)
{
	hd_rt_tell_op(hd_rt.cur->id, kind, object, 0xff, false);
}

/*
 * Objects are named by what makes them one. Memory in pieces of eight bytes has even numbers,
 * everything else odd ones.
 */
static uint64_t thing(uintptr_t addr)
{
	return (uint64_t)hd_rt_name_of(addr) * 2 + 1;
}

uint64_t hd_rt_explore_object(uintptr_t addr)
{
	return thing(addr);
}

/* Locks and the like that were used, by address -> 1: what they are in may be freed. */
static struct hd_map used_objects;

/* The object at @addr, which is used now. */
static uint64_t used(uintptr_t addr)
{
	uint64_t object = thing(addr);

	if (!hd_map_get(&used_objects, object >> 1))
		hd_map_set(&used_objects, object >> 1, 1);
	return object;
}

/* What passes between a thread that is let go and who does so. */
static uint64_t token(const struct fiber *f)
{
	return UINT64_MAX - 2 * (uint64_t)f->id;
}

static void tell_memory(enum hd_xop_kind kind, uintptr_t addr, uint64_t size)
{
	while (size) {
		unsigned at = addr & 7;
		unsigned n = size < 8 - at ? (unsigned)size : 8 - at;

		hd_rt_tell_op(hd_rt.cur->id, kind, (addr >> 3) * 2,
			      (uint8_t)(((1u << n) - 1) << at), false);
		addr += n;
		size -= n;
	}
}

#define SMALLEST_OBJECT 4 /* bytes, by which all are aligned */

/*
 * Memory is freed. For what is read and written there the race detection does; that a lock in it is used before and not
 * after is a matter of order.
 */
static void tell_freed(uintptr_t addr, uint64_t size)
{
	uint64_t from = thing(addr) >> 1;

	if (size / SMALLEST_OBJECT < used_objects.slots) {
		for (uint64_t at = 0; at < size; at += SMALLEST_OBJECT) {
			if (hd_map_get(&used_objects, from + at))
				tell(HD_X_WRITE, (from + at) * 2 + 1);
		}
		return;
	}
	for (size_t i = 0; i < used_objects.slots; i++) {
		const struct hd_map_entry *e = &used_objects.entries[i];

		if (e->value && e->key - from < size)
			tell(HD_X_WRITE, e->key * 2 + 1);
	}
}

static void tell_acquire(uintptr_t addr, uint16_t mode)
{
	if (mode & HD_LOCK_AGAIN)
		return;
	if (mode & (HD_LOCK_TRY | HD_LOCK_TIMED))
		tell(HD_X_WRITE, used(addr));
	tell(mode & HD_LOCK_SHARED ? HD_X_LOCK_SHARED : HD_X_LOCK, used(addr));
}

static bool resumed_at(uintptr_t addr)
{
	struct fiber *me = hd_rt.cur;
	bool yes = me->explore.resumed_at == addr;

	me->explore.resumed_at = 0;
	return yes;
}

static bool adding; /* the next event is an addition whose result nobody uses */

void hd_rt_explore_adds(void)
{
	adding = true;
	hd_rt_explore_uses(HD_X_USES_ADDS);
}

static enum hd_xop_kind kind_of_write(void)
{
	enum hd_xop_kind kind = adding ? HD_X_ADD : HD_X_WRITE;

	adding = false;
	return kind;
}

static bool taking; /* the next event takes what the fiber stood before until there was one */

void hd_rt_explore_takes(void)
{
	taking = true;
}

static void tell_permit(uintptr_t addr)
{
	bool resumed = resumed_at(addr);

	hd_rt_tell_op(hd_rt.cur->id, taking ? HD_X_TAKE : HD_X_WRITE, used(addr), 0xff,
		      resumed && !taking);
	taking = false;
}

/* An event that means something new is to be thought of here. */
#pragma GCC diagnostic push
#pragma GCC diagnostic error "-Wswitch"
#pragma GCC diagnostic error "-Wswitch-enum"

void hd_rt_explore_soon(enum hd_op op, uintptr_t addr, uint32_t size)
{
	announcing = sh->by_graph;
	tell_memory(hd_op_is_write(op) ? HD_X_WRITE : HD_X_READ, addr, size);
	announcing = false;
	announced = sh->by_graph ? sh->nops : 0;
	if (announced)
		sh->ops[announced - 1].weak = HD_X_WEAK |
					      (op == HD_OP_ATOMIC_STORE ? 0 : HD_X_WEAK_READS) |
					      (op == HD_OP_ATOMIC_RMW ? HD_X_WEAK_TRIES : 0);
}

uint32_t hd_rt_explore_chosen(unsigned what, uint32_t source)
{
	struct hd_xop *op = &sh->ops[announced - 1];

	if (!announced)
		return 0;
	op->weak |= (uint8_t)what;
	op->source = what & HD_X_WEAK_READS ? source : 0;
	hd_rt_sleep_wake(op);
	return announced;
}

/* Was the event of the current fiber announced, and is all that it does known? */
static bool was_announced(void)
{
	bool was = announced && announced == sh->nops && hd_rt_op_thread == hd_rt.cur->id;

	announced = 0;
	return was;
}

void hd_rt_explore_event(enum hd_op op, uintptr_t addr, uint64_t value, uint32_t size, uint16_t arg)
{
	uint64_t bytes = hd_op_is_range(op) ? value : size;

	/* A place is a part of the operation that comes next. */
	hd_rt.cur->explore.deeds +=
		op != HD_OP_PLACE && (op < HD_OP_CHOICE || hd_op_touches(op) != HD_TOUCH_NONE);
	if (op == HD_OP_FREE) {
		hd_rt_await_freed(addr, value);
		tell_freed(addr, value);
	}
	if (hd_rt.opt.states && hd_op_digest(op) != HD_DIGEST_ACCESS)
		hd_rt_state_event(op, addr, value, size, arg);
	switch (hd_op_touches(op)) {
	case HD_TOUCH_READ:
		if (!was_announced())
			tell_memory(HD_X_READ, addr, bytes);
		break;
	case HD_TOUCH_WRITE:
		if (!was_announced())
			tell_memory(kind_of_write(), addr, bytes);
		break;
	case HD_TOUCH_LOCK:
		tell_acquire(addr, arg);
		break;
	case HD_TOUCH_UNLOCK:
		if (!(arg & HD_LOCK_AGAIN))
			tell(arg & HD_LOCK_SHARED ? HD_X_UNLOCK_SHARED : HD_X_UNLOCK, used(addr));
		break;
	case HD_TOUCH_TRY:
		tell(HD_X_TRY, used(addr));
		break;
	case HD_TOUCH_FORK:
		tell(HD_X_FORK, value);
		break;
	case HD_TOUCH_JOIN:
		tell(HD_X_JOIN, value);
		break;
	case HD_TOUCH_PERMIT:
		tell_permit(addr);
		break;
	case HD_TOUCH_LOOK:
		tell(HD_X_READ, used(addr));
		break;
	case HD_TOUCH_PHASE:
		if (arg < HD_TEAM_BARRIER) /* OpenMP tells itself what its barriers order */
			tell(HD_X_WRITE, used(addr));
		break;
	case HD_TOUCH_OBJECT:
		tell(op == HD_OP_SEM_POST && value == 1 ? HD_X_GIVE : HD_X_WRITE, used(addr));
		break;
	case HD_TOUCH_NONE:
		break;
	}
}

#pragma GCC diagnostic pop

void hd_rt_tell_wait(const struct fiber *f, enum hd_thread_state why, uintptr_t addr)
{
	switch (why) {
	case HD_TS_MUTEX:
	case HD_TS_RWLOCK_WRITE:
	case HD_TS_SPIN:
	case HD_TS_OMP_LOCK:
		hd_rt_tell_op(f->id, HD_X_LOCK, used(addr), 0xff, false);
		break;
	case HD_TS_RWLOCK_READ:
		hd_rt_tell_op(f->id, HD_X_LOCK_SHARED, used(addr), 0xff, false);
		break;
	case HD_TS_JOIN:
	case HD_TS_SLEEP:
	case HD_TS_BARRIER: /* it has arrived, and that was told */
	case HD_TS_TEAM:
		break;
	default:
		if (addr)
			hd_rt_tell_op(f->id, HD_X_WRITE, used(addr), 0xff, false);
		break;
	}
}

void hd_rt_tell_await(const struct fiber *f)
{
	struct hd_xop op = hd_rt_await_op(f);

	hd_rt_tell_op(f->id, op.kind, op.object, op.bytes, false);
}

static bool waits_for_lock(enum hd_thread_state why)
{
	return why == HD_TS_MUTEX || why == HD_TS_SPIN || why == HD_TS_OMP_LOCK ||
	       why == HD_TS_RWLOCK_READ || why == HD_TS_RWLOCK_WRITE;
}

void hd_rt_explore_block(enum hd_thread_state why, uintptr_t addr)
{
	/* A lock that is taken is not touched by waiting for it. */
	if (!waits_for_lock(why) && !hd_rt.cur->wait.told)
		hd_rt_tell_wait(hd_rt.cur, why, addr);
	hd_rt.cur->explore.resumed_at = addr;
	hd_rt.cur->explore.calm = why == HD_TS_FINISH || why == HD_TS_FUTURE ||
				  why == HD_TS_PHASER || why == HD_TS_MAILBOX ||
				  why == HD_TS_TASKS || why == HD_TS_EVENT || why == HD_TS_TURN ||
				  why == HD_TS_SINGLE || why == HD_TS_RUNNABLE;
}

/* At a barrier, who waits for whom is known without. */
static bool leaves_barrier(const struct fiber *f)
{
	return f->explore.at_barrier && f->wait.result == HD_WOKEN;
}

void hd_rt_explore_wake(const struct fiber *f)
{
	if (f != hd_rt.cur && !leaves_barrier(f))
		tell(HD_X_WRITE, token(f));
}

void hd_rt_explore_resume(bool woken, enum hd_wake result)
{
	/* Nobody can let it go on any more: that matters to those who would. */
	if (woken && result == HD_TIMEOUT) {
		if (hd_rt.cur->explore.resumed_at)
			tell(HD_X_WRITE, thing(hd_rt.cur->explore.resumed_at));
	} else if (woken && !leaves_barrier(hd_rt.cur)) {
		hd_rt_tell_op(hd_rt.cur->id, HD_X_WRITE, token(hd_rt.cur), 0xff, true);
	}
}

void hd_rt_explore_change(uintptr_t addr, uint64_t was, uint64_t is)
{
	if (!hd_rt.exploring)
		return;
	hd_rt.cur->explore.deeds += was != is;
	tell(HD_X_WRITE, used(addr));
	if (hd_rt.opt.states)
		hd_rt_state_change(addr, was, is);
}

void hd_rt_explore_come(uintptr_t addr)
{
	if (hd_rt.exploring)
		tell(HD_X_READ, used(addr));
}

void hd_rt_explore_turn(uintptr_t addr, bool waited)
{
	if (!hd_rt.exploring)
		return;
	hd_rt.cur->explore.deeds++;
	hd_rt_tell_op(hd_rt.cur->id, HD_X_WRITE, used(addr), 0xff, waited);
}

void hd_rt_explore_touch(uintptr_t addr)
{
	if (!hd_rt.exploring)
		return;
	hd_rt.cur->explore.deeds++;
	tell(HD_X_WRITE, used(addr));
}

void hd_rt_explore_arrive(uintptr_t addr, uint32_t round, bool last, bool seen)
{
	struct fiber *me = hd_rt.cur;

	hd_rt_tell_op(me->id, last ? HD_X_ARRIVE_LAST : HD_X_ARRIVE, used(addr), hd_x_round(round),
		      false);
	if (seen)
		tell(HD_X_WRITE, thing(addr + 1));
	me->explore.at_barrier = true;
}

void hd_rt_explore_leave(uintptr_t addr, uint32_t round)
{
	hd_rt.cur->explore.at_barrier = false;
	if (hd_rt.exploring)
		hd_rt_tell_op(hd_rt.cur->id, HD_X_LEAVE, used(addr), hd_x_round(round), false);
}

void hd_rt_explore_peek(uintptr_t addr)
{
	if (!hd_rt.exploring)
		return;
	hd_rt_explore_uses(HD_X_USES_PEEKS);
	hd_rt.cur->explore.deeds++;
	tell(HD_X_READ, used(addr));
}

void hd_rt_tell_forget(void)
{
	announced = hd_rt_op_thread = 0;
}
