/*
 * Printing into memory, and to descriptors without a stream: what is read by the format, what is written.
 */
#include <stdio.h>
#include <stdlib.h>
#include <wchar.h>

#include "libc_formats.h"
#include "libc_mem.h"
#include "runtime/real.h"

/* @made characters of @size bytes and a terminator now lie in @room of them at @buf. */
static void printed(void *buf, size_t room, int made, size_t size)
{
	size_t n = (size_t)made + 1;

	hd_carrier_range_done(buf, (n < room ? n : room) * size);
}

/* The block is new, but not where its address goes. */
static void allocated(char **to, int made)
{
	hd_carrier_range_done(*to, (size_t)made + 1);
	hd_carrier_range_done(to, sizeof(*to));
}

/* @call is libc's function with its arguments; @told, what it wrote if it has "made" something. */
#define PRINTS(wide, call, told)                                                                   \
	struct hd_format f;                                                                        \
	bool watched = hd_rt_before_print(&f, fmt, wide, args, caller, true);                      \
	int made = call;                                                                           \
                                                                                                   \
	hd_carrier_progress();                                                                     \
	if (watched && made >= 0 && hd_carrier_watches(caller)) {                                  \
		hd_rt_print_stored(&f);                                                            \
		told;                                                                              \
	}                                                                                          \
	return made

/* A function with a va_list, and its twin that has the arguments themselves. */
#define WITH_LIST(call) return call
#define WITH_DOTS(call)                                                                            \
	va_list args;                                                                              \
	int made;                                                                                  \
                                                                                                   \
	va_start(args, fmt);                                                                       \
	made = call;                                                                               \
	va_end(args);                                                                              \
	return made

/* ---- into a buffer ----------------------------------------------------------------- */

static int print(uintptr_t caller, char *buf, size_t room, const char *fmt, va_list args)
{
	PRINTS(false, HD_REAL(vsnprintf)(buf, room, fmt, args), printed(buf, room, made, 1));
}

static int print_unbounded(uintptr_t caller, char *buf, const char *fmt, va_list args)
{
	PRINTS(false, HD_REAL(vsprintf)(buf, fmt, args), printed(buf, SIZE_MAX, made, 1));
}

static int print_wide(uintptr_t caller, wchar_t *buf, size_t room, const wchar_t *fmt, va_list args)
{
	PRINTS(true, HD_REAL(vswprintf)(buf, room, fmt, args),
	       printed(buf, room, made, sizeof(wchar_t)));
}

HD_EXPORT int vsnprintf(char *restrict buf, size_t room, const char *restrict fmt, va_list args)
{
	WITH_LIST(print(HD_CALLER, buf, room, fmt, args));
}

HD_EXPORT int snprintf(char *restrict buf, size_t room, const char *restrict fmt, ...)
{
	WITH_DOTS(print(HD_CALLER, buf, room, fmt, args));
}

HD_EXPORT int vsprintf(char *restrict buf, const char *restrict fmt, va_list args)
{
	WITH_LIST(print_unbounded(HD_CALLER, buf, fmt, args));
}

HD_EXPORT int sprintf(char *restrict buf, const char *restrict fmt, ...)
{
	WITH_DOTS(print_unbounded(HD_CALLER, buf, fmt, args));
}

HD_EXPORT int vswprintf(wchar_t *restrict buf, size_t room, const wchar_t *restrict fmt,
			va_list args)
{
	WITH_LIST(print_wide(HD_CALLER, buf, room, fmt, args));
}

HD_EXPORT int swprintf(wchar_t *restrict buf, size_t room, const wchar_t *restrict fmt, ...)
{
	WITH_DOTS(print_wide(HD_CALLER, buf, room, fmt, args));
}

/* ---- into a new block; to a descriptor ------------------------------------------------ */

static int print_block(uintptr_t caller, char **to, const char *fmt, va_list args)
{
	PRINTS(false, HD_REAL(vasprintf)(to, fmt, args), allocated(to, made));
}

static int print_to(uintptr_t caller, int fd, const char *fmt, va_list args)
{
	PRINTS(false, HD_REAL(vdprintf)(fd, fmt, args), );
}

HD_EXPORT int vasprintf(char **restrict to, const char *restrict fmt, va_list args)
{
	WITH_LIST(print_block(HD_CALLER, to, fmt, args));
}

HD_EXPORT int asprintf(char **restrict to, const char *restrict fmt, ...)
{
	WITH_DOTS(print_block(HD_CALLER, to, fmt, args));
}

HD_EXPORT int vdprintf(int fd, const char *restrict fmt, va_list args)
{
	WITH_LIST(print_to(HD_CALLER, fd, fmt, args));
}

HD_EXPORT int dprintf(int fd, const char *restrict fmt, ...)
{
	WITH_DOTS(print_to(HD_CALLER, fd, fmt, args));
}

/* ---- what _FORTIFY_SOURCE calls instead ----------------------------------------------- */

int __vsnprintf_chk(char *buf, size_t n, int flag, size_t room, const char *fmt, va_list args);
int __vsprintf_chk(char *buf, int flag, size_t room, const char *fmt, va_list args);
int __vswprintf_chk(wchar_t *buf, size_t n, int flag, size_t room, const wchar_t *fmt,
		    va_list args);
int __vasprintf_chk(char **to, int flag, const char *fmt, va_list args);
int __vdprintf_chk(int fd, int flag, const char *fmt, va_list args);
int __snprintf_chk(char *buf, size_t n, int flag, size_t room, const char *fmt, ...);
int __sprintf_chk(char *buf, int flag, size_t room, const char *fmt, ...);
int __swprintf_chk(wchar_t *buf, size_t n, int flag, size_t room, const wchar_t *fmt, ...);
int __asprintf_chk(char **to, int flag, const char *fmt, ...);
int __dprintf_chk(int fd, int flag, const char *fmt, ...);

static int print_checked(uintptr_t caller, char *buf, size_t n, int flag, size_t room,
			 const char *fmt, va_list args)
{
	PRINTS(false, HD_REAL(__vsnprintf_chk)(buf, n, flag, room, fmt, args),
	       printed(buf, n, made, 1));
}

static int print_unbounded_checked(uintptr_t caller, char *buf, int flag, size_t room,
				   const char *fmt, va_list args)
{
	PRINTS(false, HD_REAL(__vsprintf_chk)(buf, flag, room, fmt, args),
	       printed(buf, room, made, 1));
}

static int print_wide_checked(uintptr_t caller, wchar_t *buf, size_t n, int flag, size_t room,
			      const wchar_t *fmt, va_list args)
{
	PRINTS(true, HD_REAL(__vswprintf_chk)(buf, n, flag, room, fmt, args),
	       printed(buf, n, made, sizeof(wchar_t)));
}

static int print_block_checked(uintptr_t caller, char **to, int flag, const char *fmt, va_list args)
{
	PRINTS(false, HD_REAL(__vasprintf_chk)(to, flag, fmt, args), allocated(to, made));
}

static int print_to_checked(uintptr_t caller, int fd, int flag, const char *fmt, va_list args)
{
	PRINTS(false, HD_REAL(__vdprintf_chk)(fd, flag, fmt, args), );
}

HD_EXPORT int __vsnprintf_chk(char *buf, size_t n, int flag, size_t room, const char *fmt,
			      va_list args)
{
	WITH_LIST(print_checked(HD_CALLER, buf, n, flag, room, fmt, args));
}

HD_EXPORT int __snprintf_chk(char *buf, size_t n, int flag, size_t room, const char *fmt, ...)
{
	WITH_DOTS(print_checked(HD_CALLER, buf, n, flag, room, fmt, args));
}

HD_EXPORT int __vsprintf_chk(char *buf, int flag, size_t room, const char *fmt, va_list args)
{
	WITH_LIST(print_unbounded_checked(HD_CALLER, buf, flag, room, fmt, args));
}

HD_EXPORT int __sprintf_chk(char *buf, int flag, size_t room, const char *fmt, ...)
{
	WITH_DOTS(print_unbounded_checked(HD_CALLER, buf, flag, room, fmt, args));
}

HD_EXPORT int __vswprintf_chk(wchar_t *buf, size_t n, int flag, size_t room, const wchar_t *fmt,
			      va_list args)
{
	WITH_LIST(print_wide_checked(HD_CALLER, buf, n, flag, room, fmt, args));
}

HD_EXPORT int __swprintf_chk(wchar_t *buf, size_t n, int flag, size_t room, const wchar_t *fmt, ...)
{
	WITH_DOTS(print_wide_checked(HD_CALLER, buf, n, flag, room, fmt, args));
}

HD_EXPORT int __vasprintf_chk(char **to, int flag, const char *fmt, va_list args)
{
	WITH_LIST(print_block_checked(HD_CALLER, to, flag, fmt, args));
}

HD_EXPORT int __asprintf_chk(char **to, int flag, const char *fmt, ...)
{
	WITH_DOTS(print_block_checked(HD_CALLER, to, flag, fmt, args));
}

HD_EXPORT int __vdprintf_chk(int fd, int flag, const char *fmt, va_list args)
{
	WITH_LIST(print_to_checked(HD_CALLER, fd, flag, fmt, args));
}

HD_EXPORT int __dprintf_chk(int fd, int flag, const char *fmt, ...)
{
	WITH_DOTS(print_to_checked(HD_CALLER, fd, flag, fmt, args));
}
