/*
 * What libc_touches.def cannot say: functions that call the program back, that keep a place between calls, that
 * allocate.
 *
 * Where a function calls the program back, others may run meanwhile: what it writes is told at its beginning and
 * again at its end.
 */
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "libc_mem.h"
#include "runtime/memory/alloc.h"
#include "runtime/memory/arena.h"
#include "runtime/real.h"

/* Up to its end, the terminator included. */
static size_t whole(const char *s)
{
	return hd_rt_bytes_of(s, SIZE_MAX);
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

	if (hd_carrier_watches(HD_CALLER))
		hd_carrier_range(n, sizeof(*n), false);
	for (size_t i = 0; i < *n; i++, at += size) {
		if (compare(key, at) == 0)
			return at;
	}
	if (hd_carrier_watches(HD_CALLER)) {
		hd_carrier_range(key, size, false);
		hd_carrier_range(at, size, true);
		hd_carrier_range(n, sizeof(*n), true);
	}
	__builtin_memcpy(at, key, size);
	++*n;
	return at;
}

HD_EXPORT void *lfind(const void *key, const void *base, size_t *n, size_t size,
		      int (*compare)(const void *, const void *))
{
	if (hd_carrier_watches(HD_CALLER))
		hd_carrier_range(n, sizeof(*n), false);
	return HD_REAL(lfind)(key, base, n, size, compare);
}

/*
 * A tree is known by the variable that its root is in: libc's nodes are nobody's business. Adding and removing
 * change it.
 */
static bool before_tree(void *const *root, bool changes, uintptr_t caller)
{
	if (!root || !hd_carrier_watches(caller))
		return false;
	hd_carrier_range(root, sizeof(*root), changes);
	hd_carrier_settle();
	return true;
}

static void *after_tree(void **root, void *result, bool watched, uintptr_t caller)
{
	hd_carrier_progress();
	if (watched && hd_carrier_watches(caller))
		hd_carrier_range(root, sizeof(*root), true);
	return result;
}

HD_EXPORT void *tsearch(const void *key, void **root, int (*compare)(const void *, const void *))
{
	bool watched = before_tree(root, true, HD_CALLER);

	return after_tree(root, HD_REAL(tsearch)(key, root, compare), watched, HD_CALLER);
}

HD_EXPORT void *tdelete(const void *restrict key, void **restrict root,
			int (*compare)(const void *, const void *))
{
	bool watched = before_tree(root, true, HD_CALLER);

	return after_tree(root, HD_REAL(tdelete)(key, root, compare), watched, HD_CALLER);
}

HD_EXPORT void *tfind(const void *key, void *const *root,
		      int (*compare)(const void *, const void *))
{
	before_tree(root, false, HD_CALLER);
	return HD_REAL(tfind)(key, root, compare);
}

/* ---- splitting ------------------------------------------------------------------------ */

/* A word is read to the separator behind it, which becomes its end. */
static void told_token(const char *from, const char *token)
{
	size_t n = token ? (size_t)(token - from) + whole(token) : whole(from);

	hd_carrier_range_done(token ? token + whole(token) - 1 : from, 1);
	hd_carrier_range(from, n, false);
}

/* @rest is where it goes on; a place of its own that all threads share, if the caller has none. */
static char *split(char *s, const char *set, char **rest, uintptr_t caller)
{
	bool watched = hd_carrier_watches_string(caller);
	const char *from = s ? s : *rest;
	char *token;

	if (watched)
		hd_carrier_settle();
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

HD_EXPORT char *strtok_r(char *restrict s, const char *restrict set, char **restrict rest)
{
	return split(s, set, rest, HD_CALLER);
}

/* All threads share where it is: a variable of libc's, which stands for that. */
HD_EXPORT char *strtok(char *restrict s, const char *restrict set)
{
	static char *rest;

	return split(s, set, &rest, HD_CALLER);
}

HD_EXPORT char *strsep(char **restrict s, const char *restrict set)
{
	const char *from = *s;
	bool watched = hd_carrier_watches_string(HD_CALLER);
	char *token;

	if (watched)
		hd_carrier_settle();
	token = HD_REAL(strsep)(s, set);
	hd_carrier_progress();
	if (watched) {
		if (from)
			told_token(from, token);
		hd_carrier_range(set, whole(set), false);
		hd_carrier_range_done(s, sizeof(*s));
	}
	return token;
}

HD_EXPORT wchar_t *wcstok(wchar_t *restrict s, const wchar_t *restrict set, wchar_t **restrict rest)
{
	bool watched = hd_carrier_watches_string(HD_CALLER);
	wchar_t *from = s ? s : *rest, *token;

	if (watched)
		hd_carrier_settle();
	token = HD_REAL(wcstok)(s, set, rest);
	hd_carrier_progress();
	if (watched) {
		if (token) {
			size_t n = HD_REAL(wcslen)(token) + 1;

			hd_carrier_range_done(token + n - 1, sizeof(*token));
			hd_carrier_range(from,
					 (size_t)(token - from + (ptrdiff_t)n) * sizeof(*token),
					 false);
		}
		hd_carrier_range_done(rest, sizeof(*rest));
	}
	return token;
}

/* ---- copies ------------------------------------------------------------------------------ */

/* Our own, so that the block is known by the program's call, not by libc's. */
static char *duplicate(const char *s, size_t max)
{
	size_t len = hd_rt_bytes_of(s, max);
	char *p;

	hd_carrier_range(s, len, false);
	if (len && !s[len - 1])
		len--;
	p = hd_rt_program_malloc(len + 1);
	if (!p)
		return NULL;
	hd_rt_copy(p, s, len);
	p[len] = 0;
	return p;
}

/* Older programs call these names. */
char *__strdup(const char *s);
char *__strndup(const char *s, size_t max);

#define STRDUP(name)                                                                               \
	HD_EXPORT char *name(const char *s)                                                        \
	{                                                                                          \
		return hd_carrier_watches_string(HD_CALLER) ? duplicate(s, SIZE_MAX)               \
							    : HD_REAL(strdup)(s);                  \
	}
STRDUP(strdup)
STRDUP(__strdup)

#define STRNDUP(name)                                                                              \
	HD_EXPORT char *name(const char *s, size_t max)                                            \
	{                                                                                          \
		return hd_carrier_watches_string(HD_CALLER) ? duplicate(s, max)                    \
							    : HD_REAL(strndup)(s, max);            \
	}
STRNDUP(strndup)
STRNDUP(__strndup)

HD_EXPORT wchar_t *wcsdup(const wchar_t *s)
{
	size_t len;
	wchar_t *p;

	if (!hd_carrier_watches_string(HD_CALLER))
		return HD_REAL(wcsdup)(s);
	len = (HD_REAL(wcslen)(s) + 1) * sizeof(*s);
	hd_carrier_range(s, len, false);
	p = hd_rt_program_malloc(len);
	if (p)
		hd_rt_copy(p, s, len);
	return p;
}
