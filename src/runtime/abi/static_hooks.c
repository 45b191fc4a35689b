/*
 * What `heddle cc` links into every program and library: the compiler's calls before plain accesses
 * and at entries of functions, where there is no plugin to test in line (clang, another gcc).
 *
 * A call goes straight to here and makes the test that the plugin would have made; what does not
 * match jumps on into libheddle, whose functions find the program as their caller. Hidden, so that
 * each module has its own, without a linkage table in between; weak, for whoever brings hooks of another kind.
 */
#include "inline_vars.h"

#include "abi.h"
#include "runtime/compiler.h"

#define HIDDEN __attribute__((weak, visibility("hidden")))

/* Shadow words at addresses that may be odd. */
typedef uint32_t __attribute__((aligned(1), may_alias)) any_u32;
typedef uint64_t __attribute__((aligned(1), may_alias)) any_u64;

/* As test_of() in the plugin: is it known that this thread did the same here at this time? */
static inline bool matches(uintptr_t a, unsigned size, bool write)
{
	uintptr_t at = heddle_inline1_base + (a & heddle_inline1_window);
	uint64_t unless = write ? 0 : HD_INLINE_WRITTEN * UINT64_C(0x100000001);
	uint32_t care;

	if (size == 8)
		return (*(const any_u64 *)at | unless) == heddle_inline1_tags;
	if (size == 4)
		return (*(const any_u32 *)at | (uint32_t)unless) == (uint32_t)heddle_inline1_tags;
	care = ((1u << size) - 1) << (write ? HD_INLINE_WRITTEN_SHIFT : 0) << (a & 3);
	at = heddle_inline1_base + (a & heddle_inline1_window & ~(uintptr_t)3);
	return ((*(const any_u32 *)at ^ (uint32_t)heddle_inline1_tags) & (care | HD_INLINE_TIME)) ==
	       0;
}

/*
 * Accesses are counted whether they match or not, as all calls are: virtual time and turns go by it.
 * All that is rare is a jump to somewhere else, so that nothing needs to be kept.
 */
#define ACCESS(kind, size, is_write)                                                               \
	static HD_NOINLINE void __tsan_spent_##kind##size(void *p)                                 \
	{                                                                                          \
		heddle_inline1_spent(__builtin_return_address(0));                                 \
		heddle_inline1_##kind##size(p);                                                    \
	}                                                                                          \
	HIDDEN void __tsan_##kind##size(void *p)                                                   \
	{                                                                                          \
		if (unlikely(--heddle_inline1_budget < 0))                                         \
			__tsan_spent_##kind##size(p);                                              \
		else if (unlikely(!matches((uintptr_t)p, size, is_write)))                         \
			heddle_inline1_##kind##size(p);                                            \
		else if (is_write)                                                                 \
			heddle_inline1_wrote = 1;                                                  \
	}
ACCESS(read, 1, false)
ACCESS(read, 2, false)
ACCESS(read, 4, false)
ACCESS(read, 8, false)
ACCESS(write, 1, true)
ACCESS(write, 2, true)
ACCESS(write, 4, true)
ACCESS(write, 8, true)

/* As enter() in abi_calls.c, which has what is rare. */
HIDDEN void __tsan_func_entry(void *caller)
{
	uintptr_t frame = (uintptr_t)__builtin_frame_address(0), sp = frame + 2 * sizeof(uintptr_t);
	struct hd_call *top = heddle_inline1_top;

	if (unlikely(top <= heddle_inline1_limit) || unlikely(top->sp <= sp)) {
		heddle_inline1_func_entry(caller);
		return;
	}
	*--top = (struct hd_call){ .sp = sp,
				   .pc = (uintptr_t)caller,
				   .fp = *(const uintptr_t *)frame };
	heddle_inline1_top = top;
}

HIDDEN void __tsan_func_exit(void)
{
	struct hd_call *top = heddle_inline1_top;

	if (unlikely(top <= heddle_inline1_limit) || unlikely(top->sp == HD_CALLS_ROOT))
		heddle_inline1_func_exit();
	else
		heddle_inline1_top = top + 1;
}
