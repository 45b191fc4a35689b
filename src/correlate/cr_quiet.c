/*
 * In place of libheddle.so, where the Valgrind tool watches a program that `heddle cc` has built: hooks
 * do nothing, accesses that are tested in line have always been seen, and atomic operations are what
 * they say.
 */
#include <stdint.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

/* ---- accesses ------------------------------------------------------------------------ */

#define HOOK(name)                                                                                 \
	EXPORT void name(void)                                                                     \
	{                                                                                          \
	}

#define HOOKS_OF(kind, size) HOOK(__tsan_##kind##size) HOOK(__tsan_unaligned_##kind##size)

#define HOOKS(size)                                                                                \
	HOOKS_OF(read, size)                                                                       \
	HOOKS_OF(write, size)                                                                      \
	HOOKS_OF(read_write, size)                                                                 \
	HOOKS_OF(volatile_read, size)                                                              \
	HOOKS_OF(volatile_write, size)

HOOKS(1)
HOOKS(2)
HOOKS(4)
HOOKS(8)
HOOKS(16)
HOOK(__tsan_read_range)
HOOK(__tsan_write_range)
HOOK(__tsan_vptr_read)
HOOK(__tsan_vptr_update)
HOOK(__tsan_func_entry)
HOOK(__tsan_func_exit)
HOOK(__tsan_ignore_thread_begin)
HOOK(__tsan_ignore_thread_end)
HOOK(__tsan_init)
HOOK(__tsan_acquire)
HOOK(__tsan_release)

EXPORT void *__tsan_memcpy(void *to, const void *from, size_t len)
{
	return memcpy(to, from, len);
}

EXPORT void *__tsan_memmove(void *to, const void *from, size_t len)
{
	return memmove(to, from, len);
}

EXPORT void *__tsan_memset(void *to, int byte, size_t len)
{
	return memset(to, byte, len);
}

/* ---- in line --------------------------------------------------------------------------- */

#define INLINE_HOOKS(size)                                                                         \
	HOOK(heddle_inline1_read##size)                                                            \
	HOOK(heddle_inline1_write##size)                                                           \
	HOOK(heddle_inline1_idle_read##size)                                                       \
	HOOK(heddle_inline1_leaf_read##size)                                                       \
	HOOK(heddle_inline1_leaf_write##size)                                                      \
	HOOK(heddle_inline1_leaf_idle_read##size)

INLINE_HOOKS(1)
INLINE_HOOKS(2)
INLINE_HOOKS(4)
INLINE_HOOKS(8)
HOOK(heddle_inline1_block_read)
HOOK(heddle_inline1_block_write)
HOOK(heddle_inline1_range)
HOOK(heddle_inline1_part)
HOOK(heddle_inline1_whole)
HOOK(heddle_inline1_enter)
HOOK(heddle_inline1_leave)
HOOK(heddle_inline1_loop)
HOOK(heddle_inline1_func_entry)
HOOK(heddle_inline1_func_exit)
HOOK(heddle_inline1_spent)

/* A window of one word: all accesses find the same words, and these are what they look for. */
#define SEEN UINT64_MAX
static const uint64_t words[16] = { SEEN, SEEN, SEEN, SEEN, SEEN, SEEN, SEEN, SEEN,
				    SEEN, SEEN, SEEN, SEEN, SEEN, SEEN, SEEN, SEEN };

EXPORT __thread uint64_t heddle_inline1_tags = SEEN;
EXPORT __thread uintptr_t heddle_inline1_base = (uintptr_t)words;
EXPORT __thread uintptr_t heddle_inline1_window;
EXPORT __thread uintptr_t heddle_inline1_limit = UINTPTR_MAX; /* no room for calls */
EXPORT __thread uintptr_t heddle_inline1_top;
EXPORT __thread int heddle_inline1_budget = INT32_MAX;
EXPORT __thread unsigned char heddle_inline1_wrote, heddle_inline1_calls, heddle_inline1_ranges;

/* ---- atomic operations -------------------------------------------------------------------- */

/* All in one order, whatever the program asks for: that is how x86-64 does what reads and writes. */
#define FETCH(bits, type, what)                                                                    \
	EXPORT type __tsan_atomic##bits##_fetch_##what(volatile type *p, type v, int order)        \
	{                                                                                          \
		(void)order;                                                                       \
		return __atomic_fetch_##what(p, v, __ATOMIC_SEQ_CST);                              \
	}

#define EXCHANGES(bits, type, how, weak)                                                           \
	EXPORT int __tsan_atomic##bits##_compare_exchange_##how(volatile type *p, type *was,       \
								type v, int order, int failing)    \
	{                                                                                          \
		(void)order;                                                                       \
		(void)failing;                                                                     \
		return __atomic_compare_exchange_n(p, was, v, weak, __ATOMIC_SEQ_CST,              \
						   __ATOMIC_SEQ_CST);                              \
	}

#define ATOMICS(bits, type)                                                                        \
	EXPORT type __tsan_atomic##bits##_load(const volatile type *p, int order)                  \
	{                                                                                          \
		(void)order;                                                                       \
		return __atomic_load_n(p, __ATOMIC_SEQ_CST);                                       \
	}                                                                                          \
	EXPORT void __tsan_atomic##bits##_store(volatile type *p, type v, int order)               \
	{                                                                                          \
		(void)order;                                                                       \
		__atomic_store_n(p, v, __ATOMIC_SEQ_CST);                                          \
	}                                                                                          \
	EXPORT type __tsan_atomic##bits##_exchange(volatile type *p, type v, int order)            \
	{                                                                                          \
		(void)order;                                                                       \
		return __atomic_exchange_n(p, v, __ATOMIC_SEQ_CST);                                \
	}                                                                                          \
	EXPORT type __tsan_atomic##bits##_compare_exchange_val(volatile type *p, type was, type v, \
							       int order, int failing)             \
	{                                                                                          \
		(void)order;                                                                       \
		(void)failing;                                                                     \
		__atomic_compare_exchange_n(p, &was, v, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);    \
		return was;                                                                        \
	}                                                                                          \
	EXCHANGES(bits, type, strong, 0)                                                           \
	EXCHANGES(bits, type, weak, 1)                                                             \
	FETCH(bits, type, add)                                                                     \
	FETCH(bits, type, sub)                                                                     \
	FETCH(bits, type, and)                                                                     \
	FETCH(bits, type, or)                                                                      \
	FETCH(bits, type, xor)                                                                     \
	FETCH(bits, type, nand)

ATOMICS(8, uint8_t)
ATOMICS(16, uint16_t)
ATOMICS(32, uint32_t)
ATOMICS(64, uint64_t)

EXPORT void __tsan_atomic_thread_fence(int order)
{
	(void)order;
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

HOOK(__tsan_atomic_signal_fence)
