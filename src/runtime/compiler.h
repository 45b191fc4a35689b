/*
 * Words for the compiler and the linker, for everything that runs inside the tested program.
 */
#ifndef HD_RUNTIME_COMPILER_H
#define HD_RUNTIME_COMPILER_H

#include <stdbool.h>
#include <stdint.h>

#define HD_EXPORT   __attribute__((visibility("default")))
#define HD_NOINLINE __attribute__((noinline))
#define likely(x)   __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#define HD_CALLER   ((uintptr_t)__builtin_return_address(0))

/* Where this library begins, where its code and where it ends; the linker knows. */
extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char __etext[] __attribute__((visibility("hidden")));
extern const char _end[] __attribute__((visibility("hidden")));

/* Is @pc in this library? Then one of ours calls another of ours. */
static inline bool hd_rt_is_ours(uintptr_t pc)
{
	return pc - (uintptr_t)__ehdr_start < (uintptr_t)(_end - __ehdr_start);
}

/* The same of its code alone. */
static inline bool hd_rt_is_our_code(uintptr_t pc)
{
	return pc - (uintptr_t)__ehdr_start < (uintptr_t)(__etext - __ehdr_start);
}

#endif
