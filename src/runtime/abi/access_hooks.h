/*
 * The compiler's calls before plain accesses, for either carrier. Included once, at the end of the
 * file that has
 *
 *   read_hook(addr, size, aligned, pc), write_hook(...)
 *   volatile_hook(addr, size, write, pc)
 *   range_hook(addr, len, write, pc)
 *   inline_hook(addr, size, write, pc): a test in line did not match (inline_check.h)
 *   inline_leaf_hook(addr, size, write, pc, back): the same in a function that calls nothing, which
 *     was not told of and returns to @back
 *   inline_block_hook(addr, len, write, pc, back): the same of a structure; @back may be 0
 *
 * as static functions. They are small, and what is rare in them is a tail call.
 */
#ifndef HD_RUNTIME_ACCESS_HOOKS_H
#define HD_RUNTIME_ACCESS_HOOKS_H

#include "abi.h"
#include "idle_reads.h"
#include "runtime/rt.h"

#define HD_ACCESS_HOOKS(size)                                                                      \
	HD_EXPORT void __tsan_read##size(void *p)                                                  \
	{                                                                                          \
		read_hook((uintptr_t)p, size, true, HD_CALLER);                                    \
	}                                                                                          \
	HD_EXPORT void __tsan_write##size(void *p)                                                 \
	{                                                                                          \
		write_hook((uintptr_t)p, size, true, HD_CALLER);                                   \
	}                                                                                          \
	HD_EXPORT void __tsan_unaligned_read##size(void *p)                                        \
	{                                                                                          \
		read_hook((uintptr_t)p, size, false, HD_CALLER);                                   \
	}                                                                                          \
	HD_EXPORT void __tsan_unaligned_write##size(void *p)                                       \
	{                                                                                          \
		write_hook((uintptr_t)p, size, false, HD_CALLER);                                  \
	}                                                                                          \
	HD_EXPORT void __tsan_volatile_read##size(void *p)                                         \
	{                                                                                          \
		volatile_hook((uintptr_t)p, size, false, HD_CALLER);                               \
	}                                                                                          \
	HD_EXPORT void __tsan_volatile_write##size(void *p)                                        \
	{                                                                                          \
		volatile_hook((uintptr_t)p, size, true, HD_CALLER);                                \
	}                                                                                          \
	HD_EXPORT void __tsan_unaligned_volatile_read##size(void *p)                               \
	{                                                                                          \
		volatile_hook((uintptr_t)p, size, false, HD_CALLER);                               \
	}                                                                                          \
	HD_EXPORT void __tsan_unaligned_volatile_write##size(void *p)                              \
	{                                                                                          \
		volatile_hook((uintptr_t)p, size, true, HD_CALLER);                                \
	}                                                                                          \
	HD_EXPORT void __tsan_read_write##size(void *p)                                            \
	{                                                                                          \
		read_hook((uintptr_t)p, size, false, HD_CALLER);                                   \
		write_hook((uintptr_t)p, size, false, HD_CALLER);                                  \
	}                                                                                          \
	HD_EXPORT void __tsan_unaligned_read_write##size(void *p)                                  \
	{                                                                                          \
		read_hook((uintptr_t)p, size, false, HD_CALLER);                                   \
		write_hook((uintptr_t)p, size, false, HD_CALLER);                                  \
	}

#define HD_INLINE_HOOKS(size)                                                                      \
	HD_EXPORT void heddle_inline1_read##size(void *p)                                          \
	{                                                                                          \
		inline_hook((uintptr_t)p, size, false, HD_CALLER);                                 \
	}                                                                                          \
	HD_EXPORT void heddle_inline1_write##size(void *p)                                         \
	{                                                                                          \
		inline_hook((uintptr_t)p, size, true, HD_CALLER);                                  \
	}                                                                                          \
	HD_EXPORT void heddle_inline1_leaf_read##size(void *p, void *back)                         \
	{                                                                                          \
		inline_leaf_hook((uintptr_t)p, size, false, HD_CALLER, (uintptr_t)back);           \
	}                                                                                          \
	HD_EXPORT void heddle_inline1_leaf_write##size(void *p, void *back)                        \
	{                                                                                          \
		inline_leaf_hook((uintptr_t)p, size, true, HD_CALLER, (uintptr_t)back);            \
	}                                                                                          \
	HD_EXPORT void heddle_inline1_idle_read##size(void *p)                                     \
	{                                                                                          \
		hd_idle_read_note(HD_CALLER);                                                      \
		inline_hook((uintptr_t)p, size, false, HD_CALLER);                                 \
	}                                                                                          \
	HD_EXPORT void heddle_inline1_leaf_idle_read##size(void *p, void *back)                    \
	{                                                                                          \
		hd_idle_read_note(HD_CALLER);                                                      \
		inline_leaf_hook((uintptr_t)p, size, false, HD_CALLER, (uintptr_t)back);           \
	}

HD_INLINE_HOOKS(1)
HD_INLINE_HOOKS(2)
HD_INLINE_HOOKS(4)
HD_INLINE_HOOKS(8)

HD_EXPORT void heddle_inline1_block_read(void *p, unsigned long len, void *back)
{
	inline_block_hook((uintptr_t)p, len, false, HD_CALLER, (uintptr_t)back);
}

HD_EXPORT void heddle_inline1_block_write(void *p, unsigned long len, void *back)
{
	inline_block_hook((uintptr_t)p, len, true, HD_CALLER, (uintptr_t)back);
}

HD_ACCESS_HOOKS(1)
HD_ACCESS_HOOKS(2)
HD_ACCESS_HOOKS(4)
HD_ACCESS_HOOKS(8)
HD_ACCESS_HOOKS(16)

HD_EXPORT void __tsan_read_range(void *p, unsigned long len)
{
	range_hook((uintptr_t)p, len, false, HD_CALLER);
}

HD_EXPORT void __tsan_write_range(void *p, unsigned long len)
{
	range_hook((uintptr_t)p, len, true, HD_CALLER);
}

/* Virtual tables. */

HD_EXPORT void __tsan_vptr_update(void **vptr, void *value)
{
	/* A store of what is there already cannot be noticed by anybody. */
	if (*vptr != value)
		write_hook((uintptr_t)vptr, sizeof(*vptr), true, HD_CALLER);
}

HD_EXPORT void __tsan_vptr_read(void **vptr)
{
	read_hook((uintptr_t)vptr, sizeof(*vptr), true, HD_CALLER);
}

#endif
