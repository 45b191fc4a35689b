/*
 * More of libc that touches memory for the program: sorting, splitting strings, numbers in strings,
 * what the system tells.
 *
 * Each reports first and then calls libc's, or reports what was written afterwards, before anybody else
 * can run. Where a function calls the program back, others may run meanwhile: what it writes is
 * reported at its beginning and again at its end.
 */
#ifndef __NO_INLINE__
#define __NO_INLINE__ 1 /* else stdlib.h has atoi() and others with a body */
#endif
#include <iconv.h>
#include <search.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "libc_mem.h"
#include "runtime/real.h"

/* Up to its end, the terminator included. */
static size_t whole(const char *s)
{
	size_t n = 0;

	while (s[n])
		n++;
	return n + 1;
}

/* ---- sorting and searching ---------------------------------------------------------- */

/* A sort reads everything and may write everything. False: nobody watches. */
static bool before_sort(void *base, size_t n, size_t size, uintptr_t caller)
{
	size_t len;

	if (!hd_carrier_watches(caller) || __builtin_mul_overflow(n, size, &len) || n < 2)
		return false;
	hd_rt_two_ranges(base, len, base, len, true);
	hd_carrier_progress();
	return true;
}

/* Others may have run in the comparisons, so it wrote after that, too. */
static void after_sort(void *base, size_t len, bool watched, uintptr_t caller)
{
	hd_carrier_progress();
	if (watched && hd_carrier_watches(caller))
		hd_carrier_range(base, len, true);
}

HD_EXPORT void qsort(void *base, size_t n, size_t size, int (*compare)(const void *, const void *))
{
	bool watched = before_sort(base, n, size, HD_CALLER);

	HD_REAL(qsort)(base, n, size, compare);
	after_sort(base, n * size, watched, HD_CALLER);
}

HD_EXPORT void qsort_r(void *base, size_t n, size_t size,
		       int (*compare)(const void *, const void *, void *), void *arg)
{
	bool watched = before_sort(base, n, size, HD_CALLER);

	HD_REAL(qsort_r)(base, n, size, compare, arg);
	after_sort(base, n * size, watched, HD_CALLER);
}

/* What is not found is put at the end; looking is done by the program's own function. */
HD_EXPORT void *lsearch(const void *key, void *base, size_t *n, size_t size,
			int (*compare)(const void *, const void *))
{
	char *at = base;

	for (size_t i = 0; i < *n; i++, at += size) {
		if (compare(key, at) == 0)
			return at;
	}
	if (hd_carrier_watches(HD_CALLER)) {
		hd_carrier_range(at, size, true);
		hd_carrier_range(n, sizeof(*n), true);
	}
	__builtin_memcpy(at, key, size);
	++*n;
	return at;
}

/* ---- looking -------------------------------------------------------------------------- */

#undef memrchr
#undef rawmemchr
#undef strpbrk
#undef strcasestr

HD_EXPORT void *memrchr(const void *p, int byte, size_t n)
{
	if (hd_carrier_watches_string(HD_CALLER)) {
		const char *found = HD_REAL(memrchr)(p, byte, n);
		size_t skipped = found ? (size_t)(found - (const char *)p) : 0;

		hd_carrier_range((const char *)p + skipped, n - skipped, false);
	}
	return HD_REAL(memrchr)(p, byte, n);
}

HD_EXPORT void *rawmemchr(const void *p, int byte)
{
	if (hd_carrier_watches_string(HD_CALLER)) {
		const char *found = HD_REAL(rawmemchr)(p, byte);

		hd_carrier_range(p, (size_t)(found - (const char *)p) + 1, false);
	}
	return HD_REAL(rawmemchr)(p, byte);
}

HD_EXPORT void *memmem(const void *p, size_t n, const void *part, size_t len)
{
	if (hd_carrier_watches_string(HD_CALLER)) {
		const char *found = HD_REAL(memmem)(p, n, part, len);

		hd_rt_two_ranges(part, len, p, found ? (size_t)(found - (const char *)p) + len : n,
				 false);
	}
	return HD_REAL(memmem)(p, n, part, len);
}

HD_EXPORT void *memccpy(void *restrict to, const void *restrict from, int byte, size_t n)
{
	if (hd_carrier_watches_string(HD_CALLER)) {
		const char *found = memchr(from, byte, n);
		size_t copied = found ? (size_t)(found - (const char *)from) + 1 : n;

		hd_rt_two_ranges(from, copied, to, copied, true);
	}
	hd_carrier_progress();
	return HD_REAL(memccpy)(to, from, byte, n);
}

HD_EXPORT char *strpbrk(const char *s, const char *set)
{
	if (hd_carrier_watches_string(HD_CALLER))
		hd_rt_two_ranges(s, whole(s), set, whole(set), false);
	return HD_REAL(strpbrk)(s, set);
}

HD_EXPORT char *strcasestr(const char *s, const char *part)
{
	if (hd_carrier_watches_string(HD_CALLER))
		hd_rt_two_ranges(s, whole(s), part, whole(part), false);
	return HD_REAL(strcasestr)(s, part);
}

/* ---- splitting ------------------------------------------------------------------------ */

/* A word is read to the separator behind it, which becomes its end. */
static void told_token(const char *from, const char *token)
{
	size_t n = token ? (size_t)(token - from) + whole(token) : whole(from);

	hd_carrier_range_done(token ? token + whole(token) - 1 : from, 1);
	hd_carrier_range(from, n, false);
}

HD_EXPORT char *strtok_r(char *restrict s, const char *restrict set, char **restrict rest)
{
	const char *from = s;
	bool watched = hd_carrier_watches_string(HD_CALLER);
	char *token;

	if (!from)
		from = *rest;
	token = HD_REAL(strtok_r)(s, set, rest);
	hd_carrier_progress();
	if (watched) {
		if (from)
			told_token(from, token);
		hd_carrier_range(set, whole(set), false);
		hd_carrier_range_done(rest, sizeof(*rest));
	}
	return token;
}

/* All threads share where it is: a variable of libc's, which stands for that. */
HD_EXPORT char *strtok(char *restrict s, const char *restrict set)
{
	static char *rest;
	const char *from = s;
	bool watched = hd_carrier_watches_string(HD_CALLER);
	char *token;

	if (!from)
		from = rest;
	token = HD_REAL(strtok_r)(s, set, &rest);
	hd_carrier_progress();
	if (watched) {
		if (from)
			told_token(from, token);
		hd_carrier_range(set, whole(set), false);
		hd_carrier_range_done(&rest, sizeof(rest));
	}
	return token;
}

HD_EXPORT char *strsep(char **restrict s, const char *restrict set)
{
	const char *from = *s;
	bool watched = hd_carrier_watches_string(HD_CALLER);
	char *token = HD_REAL(strsep)(s, set);

	hd_carrier_progress();
	if (watched) {
		if (from)
			told_token(from, token);
		hd_carrier_range(set, whole(set), false);
		hd_carrier_range_done(s, sizeof(*s));
	}
	return token;
}

/* ---- numbers in strings ---------------------------------------------------------------- */

/* From the beginning to the first character that is not part of the number. */
static void read_number(bool watched, const char *s, char *last, char **end)
{
	if (watched && last)
		hd_carrier_range(s, (size_t)(last - s) + 1, false);
	if (end)
		*end = last;
	if (watched && end)
		hd_carrier_range_done(end, sizeof(*end));
}

#define NUMBER(type, name)                                                                         \
	HD_EXPORT type name(const char *restrict s, char **restrict end, int base)                 \
	{                                                                                          \
		bool watched = hd_carrier_watches_string(HD_CALLER);                               \
		char *last = NULL;                                                                 \
		type n = HD_REAL(name)(s, &last, base);                                            \
                                                                                                   \
		read_number(watched, s, last, end);                                                \
		return n;                                                                          \
	}
NUMBER(long, strtol)
NUMBER(long long, strtoll)
NUMBER(unsigned long, strtoul)
NUMBER(unsigned long long, strtoull)

#define REAL_NUMBER(type, name)                                                                    \
	HD_EXPORT type name(const char *restrict s, char **restrict end)                           \
	{                                                                                          \
		bool watched = hd_carrier_watches_string(HD_CALLER);                               \
		char *last = NULL;                                                                 \
		type n = HD_REAL(name)(s, &last);                                                  \
                                                                                                   \
		read_number(watched, s, last, end);                                                \
		return n;                                                                          \
	}
REAL_NUMBER(float, strtof)
REAL_NUMBER(double, strtod)
REAL_NUMBER(long double, strtold)

#define SIMPLE_NUMBER(type, name, call)                                                            \
	HD_EXPORT type name(const char *s)                                                         \
	{                                                                                          \
		bool watched = hd_carrier_watches_string(HD_CALLER);                               \
		char *last = NULL;                                                                 \
		type n = (type)call;                                                               \
                                                                                                   \
		if (watched && last)                                                               \
			hd_carrier_range(s, (size_t)(last - s) + 1, false);                        \
		return n;                                                                          \
	}
SIMPLE_NUMBER(int, atoi, HD_REAL(strtol)(s, &last, 10))
SIMPLE_NUMBER(long, atol, HD_REAL(strtol)(s, &last, 10))
SIMPLE_NUMBER(long long, atoll, HD_REAL(strtoll)(s, &last, 10))
SIMPLE_NUMBER(double, atof, HD_REAL(strtod)(s, &last))

HD_EXPORT int rand_r(unsigned *seed)
{
	if (hd_carrier_watches(HD_CALLER))
		hd_rt_two_ranges(seed, sizeof(*seed), seed, sizeof(*seed), true);
	hd_carrier_progress();
	return HD_REAL(rand_r)(seed);
}

/* ---- dates ------------------------------------------------------------------------------ */

#define BROKEN_DOWN(name)                                                                          \
	HD_EXPORT struct tm *name(const time_t *restrict t, struct tm *restrict to)                \
	{                                                                                          \
		if (hd_carrier_watches(HD_CALLER))                                                 \
			hd_rt_two_ranges(t, sizeof(*t), to, sizeof(*to), true);                    \
		hd_carrier_progress();                                                             \
		return HD_REAL(name)(t, to);                                                       \
	}
BROKEN_DOWN(localtime_r)
BROKEN_DOWN(gmtime_r)

HD_EXPORT size_t strftime(char *restrict to, size_t room, const char *restrict fmt,
			  const struct tm *restrict tm)
{
	bool watched = hd_carrier_watches_string(HD_CALLER);
	size_t n = HD_REAL(strftime)(to, room, fmt, tm);

	hd_carrier_progress();
	if (watched) {
		hd_carrier_range(tm, sizeof(*tm), false);
		hd_carrier_range_done(to, n ? n + 1 : 0);
	}
	return n;
}

/* ---- what the system tells --------------------------------------------------------------- */

#define TELLS(type, name, params, args, to, len)                                                   \
	HD_EXPORT type name params                                                                 \
	{                                                                                          \
		bool watched = hd_carrier_watches_string(HD_CALLER);                               \
		type r = HD_REAL(name) args;                                                       \
                                                                                                   \
		hd_carrier_progress();                                                             \
		if (watched)                                                                       \
			hd_carrier_range_done(to, len);                                            \
		return r;                                                                          \
	}
TELLS(int, stat, (const char *restrict path, struct stat *restrict st), (path, st), st,
      r ? 0 : sizeof(*st))
TELLS(int, lstat, (const char *restrict path, struct stat *restrict st), (path, st), st,
      r ? 0 : sizeof(*st))
TELLS(int, fstat, (int fd, struct stat *st), (fd, st), st, r ? 0 : sizeof(*st))
TELLS(ssize_t, readlink, (const char *restrict path, char *restrict to, size_t room),
      (path, to, room), to, r > 0 ? (size_t)r : 0)
TELLS(int, gethostname, (char *to, size_t room), (to, room), to, r ? 0 : room)
TELLS(char *, getcwd, (char *to, size_t room), (to, room), to, r &&to ? whole(to) : 0)

HD_EXPORT size_t iconv(iconv_t cd, char **restrict from, size_t *restrict left, char **restrict to,
		       size_t *restrict room)
{
	bool watched = hd_carrier_watches_string(HD_CALLER);
	char *f = from ? *from : NULL, *t = to ? *to : NULL;
	size_t r = HD_REAL(iconv)(cd, from, left, to, room);

	hd_carrier_progress();
	if (watched && f)
		hd_carrier_range(f, (size_t)(*from - f), false);
	if (watched && t)
		hd_carrier_range_done(t, (size_t)(*to - t));
	return r;
}
