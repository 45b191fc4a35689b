/*
 * System calls without libc: no errno, no cancellation points, not interposed.
 * Each returns what the kernel does: a value, or -errno.
 */
#ifndef HD_RUNTIME_SYS_H
#define HD_RUNTIME_SYS_H

#include <linux/futex.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>

static inline long hd_sys6(long nr, long a, long b, long c, long d, long e, long f)
{
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	long ret;

	__asm__ volatile("syscall"
			 : "=a"(ret)
			 : "a"(nr), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return ret;
}

#define HD_SYS_PICK(_1, _2, _3, _4, _5, _6, _7, n, ...) n
#define hd_sys1(nr)					hd_sys6(nr, 0, 0, 0, 0, 0, 0)
#define hd_sys2(nr, a)					hd_sys6(nr, (long)(a), 0, 0, 0, 0, 0)
#define hd_sys3(nr, a, b)				hd_sys6(nr, (long)(a), (long)(b), 0, 0, 0, 0)
#define hd_sys4(nr, a, b, c)				hd_sys6(nr, (long)(a), (long)(b), (long)(c), 0, 0, 0)
#define hd_sys5(nr, a, b, c, d)				hd_sys6(nr, (long)(a), (long)(b), (long)(c), (long)(d), 0, 0)
#define hd_sys6_(nr, a, b, c, d, e)                                                                \
	hd_sys6(nr, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), 0)
#define hd_sys7(nr, a, b, c, d, e, f)                                                              \
	hd_sys6(nr, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))
/* hd_sys(SYS_close, fd) and so on, with up to six arguments. */
#define hd_sys(...)                                                                                \
	HD_SYS_PICK(__VA_ARGS__, hd_sys7, hd_sys6_, hd_sys5, hd_sys4, hd_sys3, hd_sys2, hd_sys1)   \
	(__VA_ARGS__)

static inline long hd_futex_wait(const void *word, uint32_t expect, const struct timespec *timeout)
{
	return hd_sys(SYS_futex, word, FUTEX_WAIT, expect, timeout, 0, 0);
}

static inline long hd_futex_wake(const void *word)
{
	return hd_sys(SYS_futex, word, FUTEX_WAKE, 1, 0, 0, 0);
}

#endif
