/*
 * The compiler's calls before each access and for each atomic operation.
 */
#include "lane.h"
#include "par_front.h"
#include "runtime/abi/abi.h"

static inline void hook(void *p, unsigned size, bool write, uintptr_t pc)
{
	if (likely(hd_lane.task != NULL))
		hd_par_access((uintptr_t)p, size, write, pc);
}

/* Aligned: mostly it has all been seen. */
static inline void quick(void *p, unsigned size, bool write, uintptr_t pc)
{
	const uint32_t step = hd_lane.step;

	if (likely(step != 0) &&
	    likely(hd_thin_seen(&hd_par_front.thin, step, (uintptr_t)p, size, write)))
		return;
	hd_par_access_word((uintptr_t)p, size, write, pc);
}

static inline void quick16(void *p, bool write, uintptr_t pc)
{
	quick(p, 8, write, pc);
	quick((char *)p + 8, 8, write, pc);
}

#define ALIGNED(size)                                                                              \
	HD_EXPORT void __tsan_read##size(void *p)                                                  \
	{                                                                                          \
		quick(p, size, false, HD_CALLER);                                                  \
	}                                                                                          \
	HD_EXPORT void __tsan_write##size(void *p)                                                 \
	{                                                                                          \
		quick(p, size, true, HD_CALLER);                                                   \
	}

#define HOOKS(size)                                                                                \
	HD_EXPORT void __tsan_unaligned_read##size(void *p)                                        \
	{                                                                                          \
		hook(p, size, false, HD_CALLER);                                                   \
	}                                                                                          \
	HD_EXPORT void __tsan_unaligned_write##size(void *p)                                       \
	{                                                                                          \
		hook(p, size, true, HD_CALLER);                                                    \
	}                                                                                          \
	HD_EXPORT void __tsan_volatile_read##size(void *p)                                         \
	{                                                                                          \
		hook(p, size, false, HD_CALLER);                                                   \
	}                                                                                          \
	HD_EXPORT void __tsan_volatile_write##size(void *p)                                        \
	{                                                                                          \
		hook(p, size, true, HD_CALLER);                                                    \
	}                                                                                          \
	HD_EXPORT void __tsan_unaligned_volatile_read##size(void *p)                               \
	{                                                                                          \
		hook(p, size, false, HD_CALLER);                                                   \
	}                                                                                          \
	HD_EXPORT void __tsan_unaligned_volatile_write##size(void *p)                              \
	{                                                                                          \
		hook(p, size, true, HD_CALLER);                                                    \
	}                                                                                          \
	HD_EXPORT void __tsan_read_write##size(void *p)                                            \
	{                                                                                          \
		hook(p, size, false, HD_CALLER);                                                   \
		hook(p, size, true, HD_CALLER);                                                    \
	}                                                                                          \
	HD_EXPORT void __tsan_unaligned_read_write##size(void *p)                                  \
	{                                                                                          \
		hook(p, size, false, HD_CALLER);                                                   \
		hook(p, size, true, HD_CALLER);                                                    \
	}

ALIGNED(1)
ALIGNED(2)
ALIGNED(4)
ALIGNED(8)

HD_EXPORT void __tsan_read16(void *p)
{
	quick16(p, false, HD_CALLER);
}

HD_EXPORT void __tsan_write16(void *p)
{
	quick16(p, true, HD_CALLER);
}

HOOKS(1)
HOOKS(2)
HOOKS(4)
HOOKS(8)
HOOKS(16)

HD_EXPORT void __tsan_read_range(void *p, unsigned long len)
{
	hd_par_access((uintptr_t)p, len, false, HD_CALLER);
}

HD_EXPORT void __tsan_write_range(void *p, unsigned long len)
{
	hd_par_access((uintptr_t)p, len, true, HD_CALLER);
}

HD_EXPORT void __tsan_vptr_update(void **vptr, void *value)
{
	/* A store of what is there already cannot be noticed by anybody. */
	if (*vptr != value)
		hook(vptr, sizeof(*vptr), true, HD_CALLER);
}

HD_EXPORT void __tsan_vptr_read(void **vptr)
{
	hook(vptr, sizeof(*vptr), false, HD_CALLER);
}

bool hd_par_instrumented;

/* Called by a constructor of every source that the compiler put calls into. */
HD_EXPORT void __tsan_init(void)
{
	hd_par_instrumented = true;
}

/* ---- atomics ------------------------------------------------------------------------ */

/* By __sync builtins: gcc turns 16-byte __atomic ones into calls of libatomic. */
#define RMW(bits, type, name, expr)                                                                \
	HD_EXPORT type __tsan_atomic##bits##_##name(volatile type *p, type v, int mo)              \
	{                                                                                          \
		type old, new;                                                                     \
                                                                                                   \
		hd_par_atomic(HD_OP_ATOMIC_RMW, (uintptr_t)p, sizeof(type), mo, HD_CALLER);        \
		do {                                                                               \
			old = *p;                                                                  \
			new = (type)(expr);                                                        \
		} while (!__sync_bool_compare_and_swap(p, old, new));                              \
		return old;                                                                        \
	}

#define ATOMICS(bits, type)                                                                        \
	HD_EXPORT type __tsan_atomic##bits##_load(const volatile type *p, int mo)                  \
	{                                                                                          \
		type v = __sync_val_compare_and_swap((volatile type *)p, 0, 0);                    \
                                                                                                   \
		hd_par_atomic(HD_OP_ATOMIC_LOAD, (uintptr_t)p, sizeof(type), mo, HD_CALLER);       \
		return v;                                                                          \
	}                                                                                          \
	HD_EXPORT void __tsan_atomic##bits##_store(volatile type *p, type v, int mo)               \
	{                                                                                          \
		type old;                                                                          \
                                                                                                   \
		hd_par_atomic(HD_OP_ATOMIC_STORE, (uintptr_t)p, sizeof(type), mo, HD_CALLER);      \
		do {                                                                               \
			old = *p;                                                                  \
		} while (!__sync_bool_compare_and_swap(p, old, v));                                \
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
		type want = *expected;                                                             \
		bool done;                                                                         \
                                                                                                   \
		*expected = __sync_val_compare_and_swap(p, want, desired);                         \
		done = *expected == want;                                                          \
		hd_par_atomic(done ? HD_OP_ATOMIC_RMW : HD_OP_ATOMIC_CAS_FAIL, (uintptr_t)p,       \
			      sizeof(type), done ? mo : fail_mo, pc);                              \
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
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (hd_rt_enter(HD_CALLER))
		hd_rt_event(HD_OP_FENCE, 0, 0, (uint16_t)(mo & 0x7fff));
}

HD_EXPORT void __tsan_atomic_signal_fence(int mo)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}
