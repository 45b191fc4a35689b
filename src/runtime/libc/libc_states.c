/*
 * Functions of libc that use a state which threads share, and no memory of the caller's: explore tries them in every
 * order. In other runs they are no scheduling points.
 */
#ifndef __NO_INLINE__
#define __NO_INLINE__ 1
#endif
#include <fcntl.h>
#include <locale.h>
#include <semaphore.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/explore/common_state.h"
#include "runtime/real.h"
#include "runtime/rt.h"

#define USES(state, type, name, params, args)                                                      \
	HD_EXPORT type name params                                                                 \
	{                                                                                          \
		if (hd_rt_enter(HD_CALLER))                                                        \
			hd_rt_common_point(HD_COMMON_##state);                                     \
		return HD_REAL(name) args;                                                         \
	}

USES(RANDOM, int, rand, (void), ())
USES(RANDOM, void, srand, (unsigned seed), (seed))
USES(RANDOM, long, random, (void), ())
USES(RANDOM, void, srandom, (unsigned seed), (seed))
USES(RANDOM, char *, initstate, (unsigned seed, char *state, size_t n), (seed, state, n))
USES(RANDOM, char *, setstate, (char *state), (state))
USES(RANDOM48, double, drand48, (void), ())
USES(RANDOM48, long, lrand48, (void), ())
USES(RANDOM48, long, mrand48, (void), ())
USES(RANDOM48, void, srand48, (long seed), (seed))
USES(RANDOM48, unsigned short *, seed48, (unsigned short seed[3]), (seed))
USES(RANDOM48, void, lcong48, (unsigned short param[7]), (param))
USES(MASK, mode_t, umask, (mode_t mask), (mask))
USES(PRIORITY, int, nice, (int by), (by))
USES(PRIORITY, int, getpriority, (__priority_which_t which, id_t who), (which, who))
USES(PRIORITY, int, setpriority, (__priority_which_t which, id_t who, int to), (which, who, to))
USES(AT_EXIT, int, on_exit, (void (*fn)(int, void *), void *arg), (fn, arg))
USES(SEMAPHORES, int, sem_unlink, (const char *name), (name))
USES(SEMAPHORES, int, sem_close, (sem_t * s), (s))
USES(NUMBERS, int, socket, (int domain, int type, int protocol), (domain, type, protocol))

/* What atexit and at_quick_exit, which lie in the program, call. */
int __cxa_atexit(void (*fn)(void *), void *arg, void *dso);
int __cxa_at_quick_exit(void (*fn)(void *), void *dso);
USES(AT_EXIT, int, __cxa_atexit, (void (*fn)(void *), void *arg, void *dso), (fn, arg, dso))
USES(AT_EXIT, int, __cxa_at_quick_exit, (void (*fn)(void *), void *dso), (fn, dso))

HD_EXPORT sem_t *sem_open(const char *name, int flags, ...)
{
	va_list args;
	mode_t mode = 0;
	unsigned value = 0;

	if (flags & O_CREAT) {
		va_start(args, flags);
		mode = va_arg(args, mode_t);
		value = va_arg(args, unsigned);
		va_end(args);
	}
	if (hd_rt_enter(HD_CALLER))
		hd_rt_common_point(HD_COMMON_SEMAPHORES);
	return HD_REAL(sem_open)(name, flags, mode, value);
}

/* Whatever opens a file by its name depends on it. */
HD_EXPORT int fchdir(int fd)
{
	if (hd_rt_enter(HD_CALLER))
		hd_rt_common_change();
	return HD_REAL(fchdir)(fd);
}

HD_EXPORT char *setlocale(int category, const char *locale)
{
	if (locale && hd_rt_enter(HD_CALLER))
		hd_rt_common_change();
	return HD_REAL(setlocale)(category, locale);
}

/* ---- descriptors --------------------------------------------------------------------- */

static void before_use(uintptr_t caller, int fd)
{
	if (!hd_rt_enter(caller))
		return;
	hd_rt_common_soon();
	hd_rt_common_flags(fd);
}

#define USES_FD(type, name, params, args)                                                          \
	HD_EXPORT type name params                                                                 \
	{                                                                                          \
		before_use(HD_CALLER, fd);                                                         \
		return HD_REAL(name) args;                                                         \
	}

USES_FD(off_t, lseek, (int fd, off_t at, int from), (fd, at, from))
USES_FD(off64_t, lseek64, (int fd, off64_t at, int from), (fd, at, from))

HD_EXPORT int ioctl(int fd, unsigned long request, ...)
{
	va_list args;
	void *arg;

	va_start(args, request);
	arg = va_arg(args, void *);
	va_end(args);
	before_use(HD_CALLER, fd);
	return HD_REAL(ioctl)(fd, request, arg);
}
