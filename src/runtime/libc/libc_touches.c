/*
 * Functions of libc that touch memory for the program: each line of libc_touches.def becomes one.
 *
 * Others may run before a call, and not between what is told and what is done.
 */
#ifndef __NO_INLINE__
#define __NO_INLINE__ 1 /* else headers have some of these with a body */
#endif
#include <arpa/inet.h>
#include <dirent.h>
#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <glob.h>
#include <grp.h>
#include <iconv.h>
#include <ifaddrs.h>
#include <inttypes.h>
#include <libgen.h>
#include <math.h>
#include <net/if.h>
#include <netdb.h>
#include <pthread.h>
#include <pwd.h>
#include <regex.h>
#include <sched.h>
#include <search.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/utsname.h>
#include <sys/xattr.h>
#include <termios.h>
#include <time.h>
#include <uchar.h>
#include <unistd.h>
#include <utime.h>
#include <wchar.h>
#include <wordexp.h>

#include "libc_mem.h"
#include "runtime/real.h"

/* Where a null pointer is allowed, libc's headers do not say that there is none. A pointer is as good as an array. */
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wnonnull-compare"
#pragma GCC diagnostic ignored "-Warray-parameter"
#pragma GCC diagnostic ignored "-Wvla-parameter"
#endif

/* ---- how much a call touches ------------------------------------------------------ */

#define WIDE(n) ((n) * sizeof(wchar_t))

/* Up to its end, the terminator included. */
static inline size_t whole(const char *s)
{
	return hd_rt_bytes_of(s, SIZE_MAX);
}

static inline size_t upto(const char *s, size_t max)
{
	return hd_rt_bytes_of(s, max);
}

static size_t wide_upto(const wchar_t *s, size_t max)
{
	size_t n = 0;

	while (n < max && s[n])
		n++;
	return n < max ? n + 1 : max;
}

static inline size_t wide_whole(const wchar_t *s)
{
	return wide_upto(s, SIZE_MAX);
}

/* Bytes from @s up to @found, or to its end. */
static size_t wide_to(const wchar_t *s, const wchar_t *found)
{
	return WIDE(found ? (size_t)(found - s) + 1 : wide_whole(s));
}

static size_t until(const char *s, int c)
{
	size_t n = 0;

	while (s[n] && s[n] != (char)c)
		n++;
	return n + 1;
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

static size_t wide_compared(const wchar_t *a, const wchar_t *b, size_t max, bool past_end)
{
	for (size_t n = 0; n < max; n++) {
		if (a[n] != b[n] || (!a[n] && !past_end))
			return WIDE(n + 1);
	}
	return WIDE(max);
}

/* What a conversion to at most @n elements has written that returned @made, the terminator not counted. */
static size_t converted(size_t made, size_t n, size_t size)
{
	if (made == (size_t)-1)
		return 0;
	return (made < n ? made + 1 : n) * size;
}

static inline size_t less(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* ---- telling -------------------------------------------------------------------------- */

static inline bool there_is(const void *p)
{
	return p;
}

static void appends(const char *to, const char *from, size_t max)
{
	size_t len = whole(to) - 1, n = upto(from, max);

	hd_carrier_range(to, len + 1, false);
	hd_carrier_range(from, n, false);
	/* A bounded append always writes a terminator, also after @max bytes. */
	hd_carrier_range(to + len, n && !from[n - 1] ? n : n + 1, true);
}

static void appends_wide(const wchar_t *to, const wchar_t *from, size_t max)
{
	size_t len = wide_whole(to) - 1, n = wide_upto(from, max);

	hd_carrier_range(to, WIDE(len + 1), false);
	hd_carrier_range(from, WIDE(n), false);
	hd_carrier_range(to + len, WIDE(n && !from[n - 1] ? n : n + 1), true);
}

static void compares(const void *a, const void *b, size_t n)
{
	hd_rt_two_ranges(a, n, b, n, false);
}

static void wrote_addresses(const struct addrinfo *list)
{
	for (; list; list = list->ai_next) {
		hd_carrier_range_done(list, sizeof(*list));
		hd_carrier_range_done(list->ai_addr, list->ai_addrlen);
	}
}

/* With REG_STARTEND @at says where, and there need be no end. */
static void matches(const char *s, const regmatch_t *at, int flags)
{
	if (flags & REG_STARTEND)
		hd_carrier_range(s + at->rm_so, (size_t)(at->rm_eo - at->rm_so), false);
	else
		hd_carrier_range(s, whole(s), false);
}

/* ---- the words of libc_touches.def ------------------------------------------------------ */

/* What a function like snprintf has written, with the end. */
static size_t printed(int r, size_t room)
{
	return r < 0 ? 0 : (size_t)r < room ? (size_t)r + 1 : room;
}

#define READS(p, n)                                                                                \
	if (watched && there_is(p))                                                                \
		hd_carrier_range(p, n, false);
#define WRITES(p, n)                                                                               \
	if (watched && there_is(p))                                                                \
		hd_carrier_range(p, n, true);
#define WROTE(p, n)                                                                                \
	if (watched && there_is(p))                                                                \
		hd_carrier_range_done(p, n);
#define LOOKS_AT(p)                                                                                \
	if (watched)                                                                               \
		hd_carrier_look((uintptr_t)(p));
#define USES_STREAM(fp)                                                                            \
	if (watched)                                                                               \
		hd_carrier_use_alone((uintptr_t)(fp));
#define CHANGES_PROCESS()                                                                          \
	if (watched)                                                                               \
		hd_carrier_change_common();
#define UNSEEN()                                                                                   \
	if (watched)                                                                               \
		hd_carrier_change_unseen();
#define READS_STRING(s)		 READS(s, whole(s))
#define READS_UP_TO(s, max)	 READS(s, upto(s, max))
#define READS_UNTIL(s, c)	 READS(s, until(s, c))
#define READS_WIDE(s)		 READS(s, WIDE(wide_whole(s)))
#define READS_WIDE_UP_TO(s, max) READS(s, WIDE(wide_upto(s, max)))
#define COMPARES(a, b, max, fold)                                                                  \
	if (watched)                                                                               \
		compares(a, b, compared(a, b, max, fold));
#define COMPARES_WIDE(a, b, max)                                                                   \
	if (watched)                                                                               \
		compares(a, b, wide_compared(a, b, max, false));
#define COMPARES_WIDE_ALL(a, b, n)                                                                 \
	if (watched)                                                                               \
		compares(a, b, wide_compared(a, b, n, true));
#define COPIES(to, from)       READS_STRING(from) WRITES(to, whole(from))
#define COPIES_WIDE(to, from)  READS_WIDE(from) WRITES(to, WIDE(wide_whole(from)))
#define PADS_WIDE(to, from, n) READS_WIDE_UP_TO(from, n) WRITES(to, WIDE(n))
#define APPENDS(to, from, max)                                                                     \
	if (watched)                                                                               \
		appends(to, from, max);
#define APPENDS_WIDE(to, from, max)                                                                \
	if (watched)                                                                               \
		appends_wide(to, from, max);
#define WROTE_ADDRESSES(list)                                                                      \
	if (watched)                                                                               \
		wrote_addresses(list);
#define MATCHES(s, at, flags)                                                                      \
	if (watched)                                                                               \
		matches(s, at, flags);
#define SOCKET_ROOM(n)                                                                             \
	socklen_t room = there_is(n) ? *n : 0;                                                     \
	READS(n, sizeof(*n))
#define KEEPS(p) char *p##_was = p ? *p : NULL;

/*
 * ---- functions ----------------------------------------------------------------------------
 *
 * libc's function may have called others of ours (malloc), so who the caller is is said again.
 */

#define LOOKS(type, name, params, args, reads)                                                     \
	HD_EXPORT type name params                                                                 \
	{                                                                                          \
		bool watched = hd_carrier_watches_string(HD_CALLER);                               \
                                                                                                   \
		reads return HD_REAL(name) args;                                                   \
	}

#define LIBC(type, name, params, args, before, after)                                              \
	HD_EXPORT type name params                                                                 \
	{                                                                                          \
		bool watched = hd_carrier_watches_string(HD_CALLER);                               \
		type r;                                                                            \
                                                                                                   \
		before if (watched) hd_carrier_settle();                                           \
		r = HD_REAL(name) args;                                                            \
		hd_carrier_progress();                                                             \
		watched = watched && hd_carrier_watches(HD_CALLER);                                \
		after return r;                                                                    \
	}

#define LIBC_VOID(name, params, args, before, after)                                               \
	HD_EXPORT void name params                                                                 \
	{                                                                                          \
		bool watched = hd_carrier_watches_string(HD_CALLER);                               \
                                                                                                   \
		before if (watched) hd_carrier_settle();                                           \
		HD_REAL(name) args;                                                                \
		hd_carrier_progress();                                                             \
		watched = watched && hd_carrier_watches(HD_CALLER);                                \
		after                                                                              \
	}

/* @last, where the number ends, is what the program is given as *@end, too. */
#define ANY_NUMBER(type, name, params, args, character)                                            \
	HD_EXPORT type name params                                                                 \
	{                                                                                          \
		bool watched = hd_carrier_watches_string(HD_CALLER);                               \
		character *last = (character *)s;                                                  \
		type r = HD_REAL(name) args;                                                       \
                                                                                                   \
		READS(s, (size_t)(last + 1 - s) * sizeof(*s))                                      \
		if (there_is(end)) {                                                               \
			if (watched)                                                               \
				hd_carrier_settle();                                               \
			*end = last;                                                               \
			WROTE(end, sizeof(*end))                                                   \
		}                                                                                  \
		return r;                                                                          \
	}
#define NUMBER(type, name, params, args)      ANY_NUMBER(type, name, params, args, char)
#define WIDE_NUMBER(type, name, params, args) ANY_NUMBER(type, name, params, args, wchar_t)

#define SIMPLE_NUMBER(type, name, of, args)                                                        \
	HD_EXPORT type name(const char *s)                                                         \
	{                                                                                          \
		bool watched = hd_carrier_watches_string(HD_CALLER);                               \
		char *last = (char *)s;                                                            \
		type r = (type)HD_REAL(of) args;                                                   \
                                                                                                   \
		READS(s, (size_t)(last + 1 - s))                                                   \
		return r;                                                                          \
	}

/* Not declared by any header, or under another name. */
char *__stpcpy(char *to, const char *from);
char *__strcpy_chk(char *to, const char *from, size_t room);
char *__stpcpy_chk(char *to, const char *from, size_t room);
char *__strcat_chk(char *to, const char *from, size_t room);
char *__strncpy_chk(char *to, const char *from, size_t n, size_t room);
char *__stpncpy_chk(char *to, const char *from, size_t n, size_t room);
char *__strncat_chk(char *to, const char *from, size_t n, size_t room);
wchar_t *__wcscpy_chk(wchar_t *to, const wchar_t *from, size_t room);
wchar_t *__wcpcpy_chk(wchar_t *to, const wchar_t *from, size_t room);
wchar_t *__wcscat_chk(wchar_t *to, const wchar_t *from, size_t room);
wchar_t *__wcsncpy_chk(wchar_t *to, const wchar_t *from, size_t n, size_t room);
wchar_t *__wcpncpy_chk(wchar_t *to, const wchar_t *from, size_t n, size_t room);
wchar_t *__wcsncat_chk(wchar_t *to, const wchar_t *from, size_t n, size_t room);
wchar_t *__wmemcpy_chk(wchar_t *to, const wchar_t *from, size_t n, size_t room);
wchar_t *__wmemmove_chk(wchar_t *to, const wchar_t *from, size_t n, size_t room);
wchar_t *__wmempcpy_chk(wchar_t *to, const wchar_t *from, size_t n, size_t room);
wchar_t *__wmemset_chk(wchar_t *to, wchar_t c, size_t n, size_t room);
size_t __mbstowcs_chk(wchar_t *to, const char *from, size_t n, size_t room);
size_t __wcstombs_chk(char *to, const wchar_t *from, size_t n, size_t room);
wchar_t *__fgetws_chk(wchar_t *to, size_t room, int n, FILE *fp);
ssize_t __readlink_chk(const char *path, char *to, size_t n, size_t room);
ssize_t __readlinkat_chk(int dir, const char *path, char *to, size_t n, size_t room);
char *__realpath_chk(const char *path, char *to, size_t room);
char *__getcwd_chk(char *to, size_t n, size_t room);
int __gethostname_chk(char *to, size_t n, size_t room);
int __xpg_strerror_r(int err, char *to, size_t room);

/* The headers turn some of these into macros that keep const. */
#undef strchr
#undef strrchr
#undef strstr
#undef strpbrk
#undef strcasestr
#undef memrchr
#undef rawmemchr

#include "libc_touches.def"
