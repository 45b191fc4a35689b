/*
 * Atomic operations as the compiler calls them, for either carrier. Included once, at the end of
 * the file that has, as static functions and a macro:
 *
 *   bool atomic_before(op, addr, size, with, mo, pc)  it is about to happen; false: tell no more of it.
 *                                                 Compare-and-exchange comes as one that fails.
 *                                                 @with: what else was passed, as one number
 *   atomic_loaded(addr, size, value, mo, pc)      it has happened: a load
 *   atomic_stored(addr, size, old, new, mo)       ... a store
 *   atomic_changed(addr, size, old, new, mo)      ... fetch_add and the like
 *   atomic_swapped(addr, size, old, new, mo, pc)  ... a compare-and-exchange
 *   atomic_failed(addr, size, value, mo, pc)      ... one that found another value
 *   atomic_fenced(mo, pc)
 *   ATOMIC_READ(type, p)                          the value at @p, as a whole
 *
 * and may have ATOMIC_MODEL(seen, type, p, write): is the operation left to a memory model? Then that has
 * model_load(), model_store(), model_take(), model_put() and model_swap(), which return what was read,
 * and is told by atomic_may_fail() of a weak compare-and-exchange. ATOMIC_ORDER(mo, pc) and FAIL_ORDER(mo, pc) say
 * which order is taken for the one that the program asks for. ATOMIC_ADDS(addr, size, number): is this an addition whose
 * order with others makes no difference? Then atomic_added() is told instead of atomic_changed().
 */
#ifndef HD_RUNTIME_ATOMIC_HOOKS_H
#define HD_RUNTIME_ATOMIC_HOOKS_H

#include "abi.h"
#include "common/hash.h"
#include "runtime/rt.h"

/*
 * Other threads run, or the program shares this memory with another process: the operation itself
 * stays atomic. By __sync builtins: gcc turns 16-byte __atomic ones into calls of libatomic.
 */
#ifndef ATOMIC_ORDER
#define ATOMIC_ORDER(mo, pc) (mo)
#define FAIL_ORDER(mo, pc)   (mo)
#endif

#ifndef ATOMIC_ADDS
#define ATOMIC_ADDS(addr, size, number) false
#define atomic_added			atomic_changed
#endif

#ifdef ATOMIC_MODEL
#define HD_MODEL_LOAD(type)                                                                        \
	if (ATOMIC_MODEL(seen, type, p, false)) {                                                  \
		v = (type)model_load((uintptr_t)p, sizeof(type), mo);                              \
		atomic_loaded((uintptr_t)p, sizeof(type), (uint64_t)v, mo, HD_CALLER);             \
		return v;                                                                          \
	}
#define HD_MODEL_STORE(type)                                                                       \
	if (ATOMIC_MODEL(seen, type, p, true)) {                                                   \
		model_store((uintptr_t)p, sizeof(type), (uint64_t)v, mo);                          \
		atomic_stored((uintptr_t)p, sizeof(type), (uint64_t)~v, (uint64_t)v, mo);          \
		return;                                                                            \
	}
#define HD_MODEL_RMW(type, expr)                                                                   \
	if (ATOMIC_MODEL(seen, type, p, true)) {                                                   \
		old = (type)model_take((uintptr_t)p, sizeof(type), mo);                            \
		new = (type)(expr);                                                                \
		model_put((uint64_t) new);                                                         \
		atomic_changed((uintptr_t)p, sizeof(type), (uint64_t)old, (uint64_t) new, mo);     \
		return old;                                                                        \
	}
#define HD_MODEL_SWAP(type)                                                                        \
	if (seen && may_fail)                                                                      \
		atomic_may_fail();                                                                 \
	if (ATOMIC_MODEL(seen, type, p, true)) {                                                   \
		uint64_t read = (uint64_t)want;                                                    \
                                                                                                   \
		done = model_swap((uintptr_t)p, sizeof(type), &read, (uint64_t)desired, mo,        \
				  fail_mo, may_fail);                                              \
		*expected = (type)read;                                                            \
	} else
#else
#define HD_MODEL_LOAD(type)
#define HD_MODEL_STORE(type)
#define HD_MODEL_RMW(type, expr)
#define HD_MODEL_SWAP(type)
#endif

#define HD_ATOMIC_RMW(bits, type, name, expr, adds)                                                \
	HD_EXPORT type __tsan_atomic##bits##_##name(volatile type *p, type v, int order)           \
	{                                                                                          \
		const int mo = ATOMIC_ORDER(order, HD_CALLER);                                     \
		const bool added = (adds) && ATOMIC_ADDS((uintptr_t)p, sizeof(type), v);           \
		bool seen = atomic_before(HD_OP_ATOMIC_RMW, (uintptr_t)p, sizeof(type),            \
					  (uint64_t)v, added ? __ATOMIC_RELAXED : mo, HD_CALLER);  \
		type old, new;                                                                     \
                                                                                                   \
		HD_MODEL_RMW(type, expr)                                                           \
		do {                                                                               \
			old = *p;                                                                  \
			new = (type)(expr);                                                        \
		} while (!__sync_bool_compare_and_swap(p, old, new));                              \
		if (seen && added)                                                                 \
			atomic_added((uintptr_t)p, sizeof(type), (uint64_t)old, (uint64_t) new,    \
				     mo);                                                          \
		else if (seen)                                                                     \
			atomic_changed((uintptr_t)p, sizeof(type), (uint64_t)old, (uint64_t) new,  \
				       mo);                                                        \
		return old;                                                                        \
	}

#define HD_ATOMIC_HOOKS(bits, type)                                                                \
	HD_EXPORT type __tsan_atomic##bits##_load(const volatile type *p, int order)               \
	{                                                                                          \
		const int mo = ATOMIC_ORDER(order, HD_CALLER);                                     \
		bool seen = atomic_before(HD_OP_ATOMIC_LOAD, (uintptr_t)p, sizeof(type), 0, mo,    \
					  HD_CALLER);                                              \
		type v;                                                                            \
                                                                                                   \
		HD_MODEL_LOAD(type)                                                                \
		v = ATOMIC_READ(type, p);                                                          \
		if (seen)                                                                          \
			atomic_loaded((uintptr_t)p, sizeof(type), (uint64_t)v, mo, HD_CALLER);     \
		return v;                                                                          \
	}                                                                                          \
	HD_EXPORT void __tsan_atomic##bits##_store(volatile type *p, type v, int order)            \
	{                                                                                          \
		const int mo = ATOMIC_ORDER(order, HD_CALLER);                                     \
		bool seen = atomic_before(HD_OP_ATOMIC_STORE, (uintptr_t)p, sizeof(type),          \
					  (uint64_t)v, mo, HD_CALLER);                             \
		type old;                                                                          \
                                                                                                   \
		HD_MODEL_STORE(type)                                                               \
		do {                                                                               \
			old = *p;                                                                  \
		} while (!__sync_bool_compare_and_swap(p, old, v));                                \
		if (seen)                                                                          \
			atomic_stored((uintptr_t)p, sizeof(type), (uint64_t)old, (uint64_t)v, mo); \
	}                                                                                          \
	HD_ATOMIC_RMW(bits, type, exchange, v, false)                                              \
	HD_ATOMIC_RMW(bits, type, fetch_add, old + v, true)                                        \
	HD_ATOMIC_RMW(bits, type, fetch_sub, old - v, true)                                        \
	HD_ATOMIC_RMW(bits, type, fetch_and, old &v, false)                                        \
	HD_ATOMIC_RMW(bits, type, fetch_or, old | v, false)                                        \
	HD_ATOMIC_RMW(bits, type, fetch_xor, old ^ v, false)                                       \
	HD_ATOMIC_RMW(bits, type, fetch_nand, ~(old & v), false)                                   \
	static int cas##bits(volatile type *p, type *expected, type desired, int order,            \
			     int fail_order, uintptr_t pc, bool may_fail)                          \
	{                                                                                          \
		const int mo = ATOMIC_ORDER(order, pc), fail_mo = FAIL_ORDER(fail_order, pc);      \
		bool seen = atomic_before(HD_OP_ATOMIC_CAS_FAIL, (uintptr_t)p, sizeof(type),       \
					  hd_hash_pair((uint64_t)*expected, (uint64_t)desired),    \
					  mo, pc);                                                 \
		type want = *expected;                                                             \
		bool done;                                                                         \
                                                                                                   \
		HD_MODEL_SWAP(type)                                                                \
		{                                                                                  \
			*expected = __sync_val_compare_and_swap(p, want, desired);                 \
			done = *expected == want;                                                  \
		}                                                                                  \
		if (seen && done)                                                                  \
			atomic_swapped((uintptr_t)p, sizeof(type), (uint64_t)want,                 \
				       (uint64_t)desired, mo, pc);                                 \
		else if (seen)                                                                     \
			atomic_failed((uintptr_t)p, sizeof(type), (uint64_t)*expected, fail_mo,    \
				      pc);                                                         \
		return done;                                                                       \
	}                                                                                          \
	HD_EXPORT int __tsan_atomic##bits##_compare_exchange_strong(                               \
		volatile type *p, type *expected, type desired, int mo, int fail_mo)               \
	{                                                                                          \
		return cas##bits(p, expected, desired, mo, fail_mo, HD_CALLER, false);             \
	}                                                                                          \
	HD_EXPORT int __tsan_atomic##bits##_compare_exchange_weak(                                 \
		volatile type *p, type *expected, type desired, int mo, int fail_mo)               \
	{                                                                                          \
		return cas##bits(p, expected, desired, mo, fail_mo, HD_CALLER, true);              \
	}                                                                                          \
	HD_EXPORT type __tsan_atomic##bits##_compare_exchange_val(                                 \
		volatile type *p, type expected, type desired, int mo, int fail_mo)                \
	{                                                                                          \
		cas##bits(p, &expected, desired, mo, fail_mo, HD_CALLER, false);                   \
		return expected;                                                                   \
	}

HD_ATOMIC_HOOKS(8, uint8_t)
HD_ATOMIC_HOOKS(16, uint16_t)
HD_ATOMIC_HOOKS(32, uint32_t)
HD_ATOMIC_HOOKS(64, uint64_t)
HD_ATOMIC_HOOKS(128, unsigned __int128)

HD_EXPORT void __tsan_atomic_thread_fence(int order)
{
	const int mo = ATOMIC_ORDER(order, HD_CALLER);
	bool seen = atomic_before(HD_OP_FENCE, 0, 0, 0, mo, HD_CALLER);

	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (seen)
		atomic_fenced(mo, HD_CALLER);
}

HD_EXPORT void __tsan_atomic_signal_fence(int mo)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

#endif
