/*
 * Atomic operations. Execution is serial, so each is a plain step: a scheduling
 * point, then the operation, then its event with the memory order that the
 * program asked for, which the analyses judge.
 */
#include "runtime/rt.h"

#include "runtime/explore/explore.h"
#include "runtime/explore/state.h"
#include "runtime/explore/unused_result.h"
#include "runtime/observe/emit.h"
#include "runtime/weak/orders.h"
#include "runtime/weak/weak.h"

static bool acquires(int mo)
{
	return (mo & 0x7fff) != __ATOMIC_RELAXED && (mo & 0x7fff) != __ATOMIC_RELEASE;
}

static void explore_point(struct fiber *me, enum hd_op op, uintptr_t a, unsigned size,
			  uint64_t with, int mo)
{
	me->explore.with = me->spin.with = hd_hash_pair(with, (unsigned)mo);
	me->explore.order = acquires(mo) ? HD_LOOK_ACQUIRES : HD_LOOK_RELAXED;
	hd_rt_explore_point_at(a, size, op != HD_OP_ATOMIC_STORE, op != HD_OP_ATOMIC_LOAD);
	me->explore.order = HD_LOOK_UNKNOWN;
	me->explore.with = 0;
}

static inline bool atomic_before(enum hd_op op, uintptr_t a, unsigned size, uint64_t with, int mo,
				 uintptr_t pc)
{
	struct fiber *me = hd_rt_enter(pc);

	if (!me)
		return false;
	hd_rt.accessed = true;
	if (hd_rt.opt.switch_at >= HD_AT_ATOMICS && unlikely(hd_rt.exploring) && op != HD_OP_FENCE)
		explore_point(me, op, a, size, with, mo);
	else if (hd_rt.opt.switch_at >= HD_AT_ATOMICS)
		hd_rt_point();
	else if (--hd_rt.access_budget == 0)
		hd_rt_point();
	return true;
}

/* What a memory model could do with it that one order of everything does not. */
static void note_order(enum hd_op op, int mo)
{
	if ((mo & 0x7fff) == __ATOMIC_SEQ_CST)
		return;
	hd_rt_explore_uses(op == HD_OP_ATOMIC_STORE ? HD_X_USES_WEAK | HD_X_USES_BUFFERED
						    : HD_X_USES_WEAK);
}

/* Without acquiring anything: what an addition acquires would depend on which others came before it. */
static int without_acquire(int mo)
{
	mo &= 0x7fff;
	return mo == __ATOMIC_RELAXED || mo == __ATOMIC_ACQUIRE || mo == __ATOMIC_CONSUME
		       ? __ATOMIC_RELAXED
		       : __ATOMIC_RELEASE;
}

static void emit(enum hd_op op, uintptr_t a, unsigned size, uint64_t old, uint64_t new, int mo)
{
	hd_rt_emit(&(struct hd_emit){ .kind = HD_EMIT_ATOMIC,
				      .op = op,
				      .addr = hd_rt_name_of(a),
				      .len = size,
				      .value = old,
				      .value2 = new,
				      .arg = (uint16_t)(mo & 0x7fff),
				      .pc = hd_rt.cur->pc });
}

static void note(enum hd_op op, uintptr_t a, unsigned size, uint64_t old, uint64_t new, int mo)
{
	if (unlikely(hd_rt.exploring))
		note_order(op, mo);
	emit(op, a, size, old, new, mo);
}

void hd_rt_atomic_store_event(uintptr_t addr, unsigned size, uint64_t value)
{
	note(HD_OP_ATOMIC_STORE, addr, size, value, 0, __ATOMIC_RELEASE);
}

/* It has read and changed nothing, as in a loop that waits. */
static void spin_on(uintptr_t a)
{
	if (unlikely(hd_rt.opt.any_time))
		hd_rt_spin_reads(a);
	if (hd_rt_is_weak())
		hd_rt_weak_spin();
	else
		hd_rt_spin();
}

static void atomic_loaded(uintptr_t a, unsigned size, uint64_t value, int mo, uintptr_t pc)
{
	spin_on(a);
	note(HD_OP_ATOMIC_LOAD, a, size, value, 0, mo);
}

/*
 * A volatile access that the user takes for an atomic one (--volatile), as x86 does. The program makes it just after
 * this: the memory model of C11 has no say in what it reads, and what it writes is known later.
 */
void hd_rt_volatile_as_atomic(uintptr_t a, unsigned size, bool write, uintptr_t pc)
{
	bool relaxed = hd_rt.opt.volatiles == HD_VOLATILE_RELAXED;
	int mo = relaxed ? __ATOMIC_RELAXED : write ? __ATOMIC_RELEASE : __ATOMIC_ACQUIRE;
	enum hd_op op = write ? HD_OP_ATOMIC_STORE : HD_OP_ATOMIC_LOAD;

	if (!atomic_before(op, a, size, 0, mo, pc))
		return;
	if (hd_rt_is_tso())
		hd_rt_weak_access(a, size, write);
	else if (hd_rt_is_weak())
		hd_rt_weak_wide(a, size, write);
	if (unlikely(hd_rt.exploring) && write)
		hd_rt_explore_uses(HD_X_USES_BUFFERED);
	if (write)
		hd_rt_progress();
	else
		spin_on(a);
	hd_rt_emit(&(struct hd_emit){ .kind = HD_EMIT_ATOMIC,
				      .op = op,
				      .addr = hd_rt_name_of(a),
				      .len = size,
				      .value = write ? 0 : hd_rt_value_at(a, size),
				      .later = write,
				      .arg = (uint16_t)mo,
				      .pc = pc });
	if (unlikely(hd_rt.mode & HD_M_STATES) && write)
		hd_rt_state_access(a, size, true);
}

static void atomic_failed(uintptr_t a, unsigned size, uint64_t value, int mo, uintptr_t pc)
{
	if (unlikely(hd_rt.exploring))
		hd_rt_explore_failed(acquires(mo));
	spin_on(a);
	note(HD_OP_ATOMIC_CAS_FAIL, a, size, value, 0, mo);
}

static void atomic_stored(uintptr_t a, unsigned size, uint64_t old, uint64_t new, int mo)
{
	if (old != new)
		hd_rt_progress();
	note(HD_OP_ATOMIC_STORE, a, size, new, 0, mo);
}

static void after_change(void)
{
	if (unlikely(hd_rt.active && hd_rt.cur->tls.on_thread))
		hd_rt.cur->tls.on_thread(hd_rt.cur, false);
}

static void atomic_changed(uintptr_t a, unsigned size, uint64_t old, uint64_t new, int mo)
{
	if (old == new) {
		spin_on(a); /* test-and-set of a taken lock */
	} else {
		hd_rt_progress();
		hd_rt_explore_written();
	}
	note(HD_OP_ATOMIC_RMW, a, size, old, new, mo);
	after_change();
}

static void atomic_added(uintptr_t a, unsigned size, uint64_t old, uint64_t new, int mo)
{
	note_order(HD_OP_ATOMIC_RMW, mo);
	hd_rt_progress();
	hd_rt_explore_written();
	hd_rt_explore_adds();
	emit(HD_OP_ATOMIC_RMW, a, size, old, new, without_acquire(mo));
	after_change();
}

static void atomic_swapped(uintptr_t a, unsigned size, uint64_t old, uint64_t new, int mo,
			   uintptr_t pc)
{
	atomic_changed(a, size, old, new, mo);
}

static void atomic_fenced(int mo, uintptr_t pc)
{
	if (unlikely(hd_rt.exploring))
		hd_rt_explore_uses(HD_X_USES_FENCES);
	if (hd_rt_is_weak())
		hd_rt_weak_fence(mo & 0x7fff);
	hd_rt_event(HD_OP_FENCE, 0, 0, (uint16_t)(mo & 0x7fff));
}

/* The order that is tried instead of the program's, after the fence that is. */
static int tried_order(int mo, uintptr_t pc)
{
	int fence = hd_rt_fence_at(pc);

	if (fence != __ATOMIC_RELAXED && hd_rt_enter(pc))
		atomic_fenced(fence, pc);
	return hd_rt_order_at(pc, mo & 0x7fff, false);
}

#define ATOMIC_ORDER(mo, pc) (unlikely(hd_rt_orders_change) ? tried_order(mo, pc) : (mo))
#define FAIL_ORDER(mo, pc)                                                                         \
	(unlikely(hd_rt_orders_change) ? hd_rt_order_at(pc, (mo)&0x7fff, true) : (mo))

/* Nobody else runs: no load is torn. */
#define ATOMIC_READ(type, p) (*(p))

/* ---- left to the memory model ----------------------------------------------- */

static inline bool is_modelled(bool seen, uintptr_t a, unsigned size, bool write)
{
	if (!seen || !hd_rt_is_weak())
		return false;
	if (size > 8 || (a & (size - 1))) {
		hd_rt_weak_wide(a, size, write);
		return false;
	}
	return true;
}

/* Under sequential consistency it does not, unless another value is there. */
static inline void atomic_may_fail(void)
{
	if (unlikely(hd_rt.exploring))
		hd_rt_explore_uses(HD_X_USES_WEAK);
}

/* It changes the value, so it looks like news to all whatever came before. */
#define ATOMIC_ADDS(a, size, v)                                                                    \
	(unlikely(hd_rt.exploring) && hd_rt.opt.commute && (size) <= 8 && !((a) & ((size)-1)) &&   \
	 (v) != 0 && !hd_rt_is_weak() &&                                                           \
	 hd_rt_is_result_unused(HD_CALLER, __builtin_frame_address(0)))

#define ATOMIC_MODEL(seen, type, p, write) is_modelled(seen, (uintptr_t)(p), sizeof(type), write)
#define model_load(a, size, mo)		   hd_rt_weak_load(hd_rt_name_of(a), size, (mo)&0x7fff)
#define model_store(a, size, v, mo)	   hd_rt_weak_store(hd_rt_name_of(a), size, v, (mo)&0x7fff)
#define model_take(a, size, mo)		   hd_rt_weak_take(hd_rt_name_of(a), size, (mo)&0x7fff)
#define model_put(v)			   hd_rt_weak_put(v)
#define model_swap(a, size, e, d, m, f, w)                                                         \
	hd_rt_weak_swap(hd_rt_name_of(a), size, e, d, (m)&0x7fff, (f)&0x7fff, w)

#include "atomic_hooks.h"
