/*
 * Atomic operations. Execution is serial, so each is a plain step: a scheduling
 * point, then the operation, then its event with the memory order that the
 * program asked for, which the analyses judge.
 */
#include "runtime/rt.h"

#include "abi.h"
#include "runtime/observe/emit.h"

/* Make way before an atomic operation; true: record it. */
static inline bool before(uintptr_t pc)
{
	struct fiber *me = hd_rt_enter(pc);

	if (!me)
		return false;
	if (hd_rt.opt.switch_at >= HD_AT_ATOMICS)
		hd_rt_point();
	else if (--hd_rt.access_budget == 0)
		hd_rt_point();
	return true;
}

static void note(enum hd_op op, uintptr_t a, unsigned size, uint64_t old, uint64_t new, int mo)
{
	hd_rt_emit(&(struct hd_emit){ .kind = HD_EMIT_ATOMIC, .op = op, .addr = a, .len = size,
				      .value = old, .value2 = new, .arg = (uint16_t)(mo & 0x7fff),
				      .pc = hd_rt.cur->pc });
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
	hd_rt_spin();
}

static void note_load(uintptr_t a, unsigned size, uint64_t value, int mo)
{
	spin_on(a);
	note(HD_OP_ATOMIC_LOAD, a, size, value, 0, mo);
}

static void note_cas_fail(uintptr_t a, unsigned size, uint64_t value, int mo)
{
	spin_on(a);
	note(HD_OP_ATOMIC_CAS_FAIL, a, size, value, 0, mo);
}

static void note_store(uintptr_t a, unsigned size, uint64_t old, uint64_t new, int mo)
{
	if (old != new)
		hd_rt_progress();
	note(HD_OP_ATOMIC_STORE, a, size, new, 0, mo);
}

static void note_rmw(uintptr_t a, unsigned size, uint64_t old, uint64_t new, int mo)
{
	if (old != new)
		hd_rt_progress();
	else
		spin_on(a); /* test-and-set of a taken lock */
	note(HD_OP_ATOMIC_RMW, a, size, old, new, mo);
	if (unlikely(hd_rt.active && hd_rt.cur->on_thread))
		hd_rt.cur->on_thread(hd_rt.cur, false);
}

/*
 * The program may share this memory with another process, so the operation
 * itself stays atomic. (By __sync builtins: gcc turns 16-byte __atomic ones into calls of libatomic.)
 */
#define RMW(bits, type, name, expr)                                                                \
	HD_EXPORT type __tsan_atomic##bits##_##name(volatile type *p, type v, int mo)              \
	{                                                                                          \
		bool seen = before(HD_CALLER);                                                     \
		type old, new;                                                                     \
                                                                                                   \
		do {                                                                               \
			old = *p;                                                                  \
			new = (type)(expr);                                                        \
		} while (!__sync_bool_compare_and_swap(p, old, new));                              \
		if (seen)                                                                          \
			note_rmw((uintptr_t)p, sizeof(type), (uint64_t)old, (uint64_t)new, mo);    \
		return old;                                                                        \
	}

#define ATOMICS(bits, type)                                                                        \
	HD_EXPORT type __tsan_atomic##bits##_load(const volatile type *p, int mo)                  \
	{                                                                                          \
		bool seen = before(HD_CALLER);                                                     \
		type v = *p;                                                                       \
                                                                                                   \
		if (seen)                                                                          \
			note_load((uintptr_t)p, sizeof(type), (uint64_t)v, mo);                    \
		return v;                                                                          \
	}                                                                                          \
	HD_EXPORT void __tsan_atomic##bits##_store(volatile type *p, type v, int mo)               \
	{                                                                                          \
		bool seen = before(HD_CALLER);                                                     \
		type old;                                                                          \
                                                                                                   \
		do {                                                                               \
			old = *p;                                                                  \
		} while (!__sync_bool_compare_and_swap(p, old, v));                                \
		if (seen)                                                                          \
			note_store((uintptr_t)p, sizeof(type), (uint64_t)old, (uint64_t)v, mo);    \
	}                                                                                          \
	RMW(bits, type, exchange, v)                                                               \
	RMW(bits, type, fetch_add, old + v)                                                        \
	RMW(bits, type, fetch_sub, old - v)                                                        \
	RMW(bits, type, fetch_and, old & v)                                                        \
	RMW(bits, type, fetch_or, old | v)                                                         \
	RMW(bits, type, fetch_xor, old ^ v)                                                        \
	RMW(bits, type, fetch_nand, ~(old & v))                                                    \
	static int cas##bits(volatile type *p, type *expected, type desired, int mo, int fail_mo,  \
			     uintptr_t pc)                                                         \
	{                                                                                          \
		bool seen = before(pc);                                                            \
		type want = *expected;                                                             \
		bool done;                                                                         \
                                                                                                   \
		*expected = __sync_val_compare_and_swap(p, want, desired);                         \
		done = *expected == want;                                                          \
		if (seen && done)                                                                  \
			note_rmw((uintptr_t)p, sizeof(type), (uint64_t)want, (uint64_t)desired,    \
				 mo);                                                              \
		else if (seen)                                                                     \
			note_cas_fail((uintptr_t)p, sizeof(type), (uint64_t)*expected, fail_mo);   \
		return done;                                                                       \
	}                                                                                          \
	HD_EXPORT int __tsan_atomic##bits##_compare_exchange_strong(                               \
		volatile type *p, type *expected, type desired, int mo, int fail_mo)               \
	{                                                                                          \
		return cas##bits(p, expected, desired, mo, fail_mo, HD_CALLER);                    \
	}                                                                                          \
	HD_EXPORT int __tsan_atomic##bits##_compare_exchange_weak(                                 \
		volatile type *p, type *expected, type desired, int mo, int fail_mo)               \
	{                                                                                          \
		return cas##bits(p, expected, desired, mo, fail_mo, HD_CALLER);                    \
	}                                                                                          \
	HD_EXPORT type __tsan_atomic##bits##_compare_exchange_val(                                 \
		volatile type *p, type expected, type desired, int mo, int fail_mo)                \
	{                                                                                          \
		cas##bits(p, &expected, desired, mo, fail_mo, HD_CALLER);                          \
		return expected;                                                                   \
	}

ATOMICS(8, uint8_t)
ATOMICS(16, uint16_t)
ATOMICS(32, uint32_t)
ATOMICS(64, uint64_t)
ATOMICS(128, unsigned __int128)

HD_EXPORT void __tsan_atomic_thread_fence(int mo)
{
	bool seen = before(HD_CALLER);

	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (seen)
		hd_rt_event(HD_OP_FENCE, 0, 0, (uint16_t)(mo & 0x7fff));
}

HD_EXPORT void __tsan_atomic_signal_fence(int mo)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}
