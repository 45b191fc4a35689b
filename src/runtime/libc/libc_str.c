/*
 * String functions: what they touch, they touch for the program.
 *
 * Each reports first and then calls libc's, so that no other thread comes between what
 * is reported and what is done.
 */
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "libc_mem.h"
#include "runtime/memory/alloc.h"
#include "runtime/memory/arena.h"
#include "runtime/real.h"

/* Bytes of @s that a function bounded by @max looks at, the terminator included. */
static size_t seen(const char *s, size_t max)
{
	size_t n = 0;

	while (n < max && s[n])
		n++;
	return n < max ? n + 1 : max;
}

static void read_string(const char *s, size_t max)
{
	hd_carrier_range(s, seen(s, max), false);
}

static void read_strings(const char *a, const char *b)
{
	hd_rt_two_ranges(a, seen(a, SIZE_MAX), b, seen(b, SIZE_MAX), false);
}

/* ---- looking ------------------------------------------------------------ */

HD_EXPORT size_t strlen(const char *s)
{
	if (hd_carrier_watches_string(HD_CALLER))
		read_string(s, SIZE_MAX);
	return HD_REAL(strlen)(s);
}

HD_EXPORT size_t strnlen(const char *s, size_t max)
{
	if (hd_carrier_watches_string(HD_CALLER))
		read_string(s, max);
	return HD_REAL(strnlen)(s, max);
}

/* Bytes that a comparison looks at: up to the first difference or the end. */
static size_t compared(const char *a, const char *b, size_t max, bool fold)
{
	size_t n = 0;

	for (; n < max; n++) {
		int x = (unsigned char)a[n], y = (unsigned char)b[n];

		if (fold && x >= 'A' && x <= 'Z')
			x += 'a' - 'A';
		if (fold && y >= 'A' && y <= 'Z')
			y += 'a' - 'A';
		if (x != y || !x)
			return n + 1;
	}
	return n;
}

static void read_compared(const char *a, const char *b, size_t max, bool fold)
{
	size_t n = compared(a, b, max, fold);

	hd_rt_two_ranges(a, n, b, n, false);
}

HD_EXPORT int strcmp(const char *a, const char *b)
{
	if (hd_carrier_watches_string(HD_CALLER))
		read_compared(a, b, SIZE_MAX, false);
	return HD_REAL(strcmp)(a, b);
}

HD_EXPORT int strncmp(const char *a, const char *b, size_t max)
{
	if (hd_carrier_watches_string(HD_CALLER))
		read_compared(a, b, max, false);
	return HD_REAL(strncmp)(a, b, max);
}

HD_EXPORT int strcasecmp(const char *a, const char *b)
{
	if (hd_carrier_watches_string(HD_CALLER))
		read_compared(a, b, SIZE_MAX, true);
	return HD_REAL(strcasecmp)(a, b);
}

HD_EXPORT int strncasecmp(const char *a, const char *b, size_t max)
{
	if (hd_carrier_watches_string(HD_CALLER))
		read_compared(a, b, max, true);
	return HD_REAL(strncasecmp)(a, b, max);
}

/* Up to the first @c, or all of it. */
static void read_until(const char *s, int c)
{
	size_t n = 0;

	while (s[n] && s[n] != (char)c)
		n++;
	hd_carrier_range(s, n + 1, false);
}

/* The headers turn some of these into macros that keep const. */
#undef strchr
#undef strrchr
#undef strstr

HD_EXPORT char *strchr(const char *s, int c)
{
	if (hd_carrier_watches_string(HD_CALLER))
		read_until(s, c);
	return HD_REAL(strchr)(s, c);
}

HD_EXPORT char *strchrnul(const char *s, int c)
{
	if (hd_carrier_watches_string(HD_CALLER))
		read_until(s, c);
	return HD_REAL(strchrnul)(s, c);
}

HD_EXPORT char *index(const char *s, int c)
{
	if (hd_carrier_watches_string(HD_CALLER))
		read_until(s, c);
	return HD_REAL(index)(s, c);
}

HD_EXPORT char *strrchr(const char *s, int c)
{
	if (hd_carrier_watches_string(HD_CALLER))
		read_string(s, SIZE_MAX);
	return HD_REAL(strrchr)(s, c);
}

HD_EXPORT char *rindex(const char *s, int c)
{
	if (hd_carrier_watches_string(HD_CALLER))
		read_string(s, SIZE_MAX);
	return HD_REAL(rindex)(s, c);
}

HD_EXPORT char *strstr(const char *s, const char *part)
{
	if (hd_carrier_watches_string(HD_CALLER))
		read_strings(s, part);
	return HD_REAL(strstr)(s, part);
}

HD_EXPORT size_t strspn(const char *s, const char *set)
{
	if (hd_carrier_watches_string(HD_CALLER))
		read_strings(s, set);
	return HD_REAL(strspn)(s, set);
}

HD_EXPORT size_t strcspn(const char *s, const char *set)
{
	if (hd_carrier_watches_string(HD_CALLER))
		read_strings(s, set);
	return HD_REAL(strcspn)(s, set);
}

/* ---- copying ------------------------------------------------------------ */

static void copied(const char *to, const char *from)
{
	size_t n = seen(from, SIZE_MAX);

	hd_rt_two_ranges(from, n, to, n, true);
}

static void copied_padded(const char *to, const char *from, size_t n)
{
	hd_rt_two_ranges(from, seen(from, n), to, n, true);
}

static void appended(const char *to, const char *from, size_t max)
{
	size_t len = hd_rt_strlen(to), n = seen(from, max);

	hd_carrier_range(to, len + 1, false);
	/* A bounded append always writes a terminator, also after @max bytes. */
	hd_rt_two_ranges(from, n, to + len, n && !from[n - 1] ? n : n + 1, true);
}

HD_EXPORT char *strcpy(char *restrict to, const char *restrict from)
{
	if (hd_carrier_watches_string(HD_CALLER))
		copied(to, from);
	hd_carrier_progress();
	return HD_REAL(strcpy)(to, from);
}

HD_EXPORT char *stpcpy(char *restrict to, const char *restrict from)
{
	if (hd_carrier_watches_string(HD_CALLER))
		copied(to, from);
	hd_carrier_progress();
	return HD_REAL(stpcpy)(to, from);
}

HD_EXPORT char *strncpy(char *restrict to, const char *restrict from, size_t n)
{
	if (hd_carrier_watches_string(HD_CALLER))
		copied_padded(to, from, n);
	hd_carrier_progress();
	return HD_REAL(strncpy)(to, from, n);
}

HD_EXPORT char *stpncpy(char *restrict to, const char *restrict from, size_t n)
{
	if (hd_carrier_watches_string(HD_CALLER))
		copied_padded(to, from, n);
	hd_carrier_progress();
	return HD_REAL(stpncpy)(to, from, n);
}

HD_EXPORT char *strcat(char *restrict to, const char *restrict from)
{
	if (hd_carrier_watches_string(HD_CALLER))
		appended(to, from, SIZE_MAX);
	hd_carrier_progress();
	return HD_REAL(strcat)(to, from);
}

HD_EXPORT char *strncat(char *restrict to, const char *restrict from, size_t n)
{
	if (hd_carrier_watches_string(HD_CALLER))
		appended(to, from, n);
	hd_carrier_progress();
	return HD_REAL(strncat)(to, from, n);
}

/* Our own, so that the block is known by the program's call, not by libc's. */
static char *duplicate(const char *s, size_t max)
{
	size_t len = seen(s, max);
	char *p;

	if (len && !s[len - 1])
		len--;
	p = hd_rt_program_malloc(len + 1);
	if (!p)
		return NULL;
	hd_rt_copy(p, s, len);
	p[len] = 0;
	return p;
}

HD_EXPORT char *strdup(const char *s)
{
	if (!hd_carrier_watches(HD_CALLER))
		return HD_REAL(strdup)(s);
	read_string(s, SIZE_MAX);
	return duplicate(s, SIZE_MAX);
}

HD_EXPORT char *strndup(const char *s, size_t max)
{
	if (!hd_carrier_watches(HD_CALLER))
		return HD_REAL(strndup)(s, max);
	read_string(s, max);
	return duplicate(s, max);
}

/* Older programs call these names. */
char *__strdup(const char *s);
char *__strndup(const char *s, size_t max);
char *__stpcpy(char *restrict to, const char *restrict from);

HD_EXPORT char *__strdup(const char *s)
{
	return strdup(s);
}

HD_EXPORT char *__strndup(const char *s, size_t max)
{
	return strndup(s, max);
}

HD_EXPORT char *__stpcpy(char *restrict to, const char *restrict from)
{
	return stpcpy(to, from);
}

/* ---- printing into memory ------------------------------------------------ */

/* Others may come before it: afterwards it is too late for them to. */
static void before_print(uintptr_t caller)
{
	hd_carrier_watches_string(caller);
}

/* @made characters and a terminator now lie in @room bytes at @buf. */
static int printed(char *buf, size_t room, int made, uintptr_t caller)
{
	size_t n = (size_t)made + 1;

	hd_carrier_progress();
	if (made >= 0 && hd_carrier_watches(caller))
		hd_carrier_range_done(buf, n < room ? n : room);
	return made;
}

HD_EXPORT int vsnprintf(char *restrict buf, size_t room, const char *restrict fmt, va_list args)
{
	before_print(HD_CALLER);
	return printed(buf, room, HD_REAL(vsnprintf)(buf, room, fmt, args), HD_CALLER);
}

HD_EXPORT int vsprintf(char *restrict buf, const char *restrict fmt, va_list args)
{
	before_print(HD_CALLER);
	return printed(buf, SIZE_MAX, HD_REAL(vsprintf)(buf, fmt, args), HD_CALLER);
}

HD_EXPORT int snprintf(char *restrict buf, size_t room, const char *restrict fmt, ...)
{
	va_list args;
	int n;

	before_print(HD_CALLER);
	va_start(args, fmt);
	n = HD_REAL(vsnprintf)(buf, room, fmt, args);
	va_end(args);
	return printed(buf, room, n, HD_CALLER);
}

HD_EXPORT int sprintf(char *restrict buf, const char *restrict fmt, ...)
{
	va_list args;
	int n;

	before_print(HD_CALLER);
	va_start(args, fmt);
	n = HD_REAL(vsprintf)(buf, fmt, args);
	va_end(args);
	return printed(buf, SIZE_MAX, n, HD_CALLER);
}

/* ---- what _FORTIFY_SOURCE calls instead ---------------------------------- */

int __vsnprintf_chk(char *buf, size_t n, int flag, size_t room, const char *fmt, va_list args);
int __vsprintf_chk(char *buf, int flag, size_t room, const char *fmt, va_list args);
int __snprintf_chk(char *buf, size_t n, int flag, size_t room, const char *fmt, ...);
int __sprintf_chk(char *buf, int flag, size_t room, const char *fmt, ...);

HD_EXPORT int __vsnprintf_chk(char *buf, size_t n, int flag, size_t room, const char *fmt,
			      va_list args)
{
	before_print(HD_CALLER);
	return printed(buf, n, HD_REAL(__vsnprintf_chk)(buf, n, flag, room, fmt, args), HD_CALLER);
}

HD_EXPORT int __vsprintf_chk(char *buf, int flag, size_t room, const char *fmt, va_list args)
{
	before_print(HD_CALLER);
	return printed(buf, room, HD_REAL(__vsprintf_chk)(buf, flag, room, fmt, args), HD_CALLER);
}

HD_EXPORT int __snprintf_chk(char *buf, size_t n, int flag, size_t room, const char *fmt, ...)
{
	va_list args;
	int made;

	before_print(HD_CALLER);
	va_start(args, fmt);
	made = HD_REAL(__vsnprintf_chk)(buf, n, flag, room, fmt, args);
	va_end(args);
	return printed(buf, n, made, HD_CALLER);
}

HD_EXPORT int __sprintf_chk(char *buf, int flag, size_t room, const char *fmt, ...)
{
	va_list args;
	int made;

	before_print(HD_CALLER);
	va_start(args, fmt);
	made = HD_REAL(__vsprintf_chk)(buf, flag, room, fmt, args);
	va_end(args);
	return printed(buf, room, made, HD_CALLER);
}

char *__strcpy_chk(char *restrict to, const char *restrict from, size_t room);
char *__stpcpy_chk(char *restrict to, const char *restrict from, size_t room);
char *__strcat_chk(char *restrict to, const char *restrict from, size_t room);
char *__strncpy_chk(char *restrict to, const char *restrict from, size_t n, size_t room);
char *__stpncpy_chk(char *restrict to, const char *restrict from, size_t n, size_t room);
char *__strncat_chk(char *restrict to, const char *restrict from, size_t n, size_t room);

#define STRING_CHK(name, report)                                                                   \
	HD_EXPORT char *name(char *restrict to, const char *restrict from, size_t room)            \
	{                                                                                          \
		if (hd_carrier_watches_string(HD_CALLER))                                          \
			report;                                                                    \
		hd_carrier_progress();                                                             \
		return HD_REAL(name)(to, from, room);                                              \
	}
STRING_CHK(__strcpy_chk, copied(to, from))
STRING_CHK(__stpcpy_chk, copied(to, from))
STRING_CHK(__strcat_chk, appended(to, from, SIZE_MAX))

#define BOUNDED_CHK(name, report)                                                                  \
	HD_EXPORT char *name(char *restrict to, const char *restrict from, size_t n, size_t room)  \
	{                                                                                          \
		if (hd_carrier_watches_string(HD_CALLER))                                          \
			report;                                                                    \
		hd_carrier_progress();                                                             \
		return HD_REAL(name)(to, from, n, room);                                           \
	}
BOUNDED_CHK(__strncpy_chk, copied_padded(to, from, n))
BOUNDED_CHK(__stpncpy_chk, copied_padded(to, from, n))
BOUNDED_CHK(__strncat_chk, appended(to, from, n))
