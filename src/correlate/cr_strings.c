/*
 * libc's functions on strings, in the preloaded library, byte by byte. libc's own read whole vectors, and so what
 * lies beside the string: that may belong to others, and would be compared with what they do there. Only those
 * that do not know where they will end do that.
 */
#include <ctype.h>
#include <stddef.h>
#include <wchar.h>

#include <valgrind.h>

#define REPLACE(type, f, args)                                                                     \
	type I_REPLACE_SONAME_FNNAME_ZU(libcZdsoZa, f) args;                                       \
	type I_REPLACE_SONAME_FNNAME_ZU(libcZdsoZa, f) args

#define ANY ((size_t)-1)

/*
 * 1 or 0, and the compiler does not know which: so what is counted by it is made of what was looked at, as it is where libc
 * counts in vectors. A length depends on its text by that, and not only by a loop.
 */
static inline size_t as_number(int yes)
{
	size_t n = yes != 0;

	__asm__("" : "+r"(n));
	return n;
}

/* ---- looking for something ---------------------------------------------------------- */

static inline size_t length(const char *s, size_t most)
{
	size_t n = 0;

	while (n < most) {
		size_t more = as_number(s[n] != 0);

		if (!more)
			break;
		n += more;
	}
	return n;
}

REPLACE(size_t, strlen, (const char *s))
{
	return length(s, ANY);
}

REPLACE(size_t, strnlen, (const char *s, size_t most))
{
	return length(s, most);
}

REPLACE(size_t, wcslen, (const wchar_t *s))
{
	size_t n = 0;

	for (;;) {
		size_t more = as_number(s[n] != 0);

		if (!more)
			return n;
		n += more;
	}
}

REPLACE(void *, memchr, (const void *p, int c, size_t len))
{
	const char *s = p;

	for (size_t i = 0; i < len;) {
		size_t other = as_number(s[i] != (char)c);

		if (!other)
			return (void *)(s + i);
		i += other;
	}
	return NULL;
}

REPLACE(void *, memrchr, (const void *p, int c, size_t len))
{
	const char *s = p;

	while (len-- > 0) {
		if (s[len] == (char)c)
			return (void *)(s + len);
	}
	return NULL;
}

REPLACE(void *, rawmemchr, (const void *p, int c))
{
	const char *s = p;

	for (;;) {
		size_t other = as_number(*s != (char)c);

		if (!other)
			return (void *)s;
		s += other;
	}
}

static inline char *first_of(const char *s, int c)
{
	for (;;) {
		size_t other = as_number(*s && *s != (char)c);

		if (!other)
			return (char *)s;
		s += other;
	}
}

REPLACE(char *, strchrnul, (const char *s, int c))
{
	return first_of(s, c);
}

static inline char *first_or_null(const char *s, int c)
{
	char *at = first_of(s, c);

	return *at == (char)c ? at : NULL;
}

REPLACE(char *, strchr, (const char *s, int c))
{
	return first_or_null(s, c);
}

REPLACE(char *, index, (const char *s, int c))
{
	return first_or_null(s, c);
}

static inline char *last_of(const char *s, int c)
{
	const char *last = NULL;

	for (;; s++) {
		if (*s == (char)c)
			last = s;
		if (!*s)
			return (char *)last;
	}
}

REPLACE(char *, strrchr, (const char *s, int c))
{
	return last_of(s, c);
}

REPLACE(char *, rindex, (const char *s, int c))
{
	return last_of(s, c);
}

/* How many characters at its beginning are in @set, or are not. */
static inline size_t span(const char *s, const char *set, int in)
{
	size_t n = 0;

	while (s[n] && (*first_of(set, s[n]) != 0) == in)
		n++;
	return n;
}

REPLACE(size_t, strspn, (const char *s, const char *set))
{
	return span(s, set, 1);
}

REPLACE(size_t, strcspn, (const char *s, const char *set))
{
	return span(s, set, 0);
}

REPLACE(char *, strpbrk, (const char *s, const char *set))
{
	s += span(s, set, 0);
	return *s ? (char *)s : NULL;
}

REPLACE(char *, strstr, (const char *s, const char *what))
{
	for (;; s++) {
		size_t n = 0;

		while (what[n] && s[n] == what[n])
			n++;
		if (!what[n])
			return (char *)s;
		if (!*s)
			return NULL;
	}
}

/* ---- comparing ------------------------------------------------------------------------ */

REPLACE(int, strcmp, (const char *a, const char *b))
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	return (unsigned char)*a - (unsigned char)*b;
}

REPLACE(int, strncmp, (const char *a, const char *b, size_t most))
{
	size_t n = 0;

	while (n < most && a[n] && a[n] == b[n])
		n++;
	return n < most ? (unsigned char)a[n] - (unsigned char)b[n] : 0;
}

static inline int compare_caseless(const char *a, const char *b, size_t most)
{
	for (size_t n = 0; n < most; n++) {
		int x = tolower((unsigned char)a[n]), y = tolower((unsigned char)b[n]);

		if (x != y || !a[n])
			return x - y;
	}
	return 0;
}

REPLACE(int, strcasecmp, (const char *a, const char *b))
{
	return compare_caseless(a, b, ANY);
}

REPLACE(int, strncasecmp, (const char *a, const char *b, size_t most))
{
	return compare_caseless(a, b, most);
}

/*
 * Eight bytes at a time, and none beyond the end. What it returns is made of all that was looked at, as it is where libc
 * compares vectors: of what was the same before, each side's sum is the same as well.
 */
static inline int compare_memory(const unsigned char *a, const unsigned char *b, size_t len)
{
	unsigned long x = 0, y = 0, sum_x = 0, sum_y = 0;

	for (size_t i = 0; i < len && x == y;) {
		if (len - i >= sizeof(x)) {
			__builtin_memcpy(&x, a + i, sizeof(x));
			__builtin_memcpy(&y, b + i, sizeof(y));
			x = __builtin_bswap64(x);
			y = __builtin_bswap64(y);
			i += sizeof(x);
		} else {
			x = a[i];
			y = b[i++];
		}
		sum_x ^= x;
		sum_y ^= y;
	}
	__asm__("" : "+r"(x), "+r"(y), "+r"(sum_x), "+r"(sum_y));
	return ((x > y) - (x < y)) * (sum_x != sum_y);
}

REPLACE(int, memcmp, (const void *a, const void *b, size_t len))
{
	return compare_memory(a, b, len);
}

REPLACE(int, bcmp, (const void *a, const void *b, size_t len))
{
	return compare_memory(a, b, len);
}

REPLACE(int, __memcmpeq, (const void *a, const void *b, size_t len))
{
	return compare_memory(a, b, len);
}

/* ---- copying ---------------------------------------------------------------------------- */

/* Returns where the copy ends. */
static inline char *copy(char *to, const char *from)
{
	while ((*to = *from)) {
		to++;
		from++;
	}
	return to;
}

REPLACE(char *, strcpy, (char *to, const char *from))
{
	copy(to, from);
	return to;
}

REPLACE(char *, stpcpy, (char *to, const char *from))
{
	return copy(to, from);
}

REPLACE(char *, strcat, (char *to, const char *from))
{
	copy(to + length(to, ANY), from);
	return to;
}

REPLACE(char *, strncat, (char *to, const char *from, size_t most))
{
	size_t at = length(to, ANY), n = 0;

	for (; n < most && from[n]; n++)
		to[at + n] = from[n];
	to[at + n] = 0;
	return to;
}

/* The rest is filled with 0. */
static inline char *copy_filled(char *to, const char *from, size_t len)
{
	size_t n = 0, i;

	for (; n < len && from[n]; n++)
		to[n] = from[n];
	for (i = n; i < len; i++)
		to[i] = 0;
	return to + n;
}

REPLACE(char *, strncpy, (char *to, const char *from, size_t len))
{
	copy_filled(to, from, len);
	return to;
}

REPLACE(char *, stpncpy, (char *to, const char *from, size_t len))
{
	return copy_filled(to, from, len);
}
