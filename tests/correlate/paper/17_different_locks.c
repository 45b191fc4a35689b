/*
 * A text and its length, made from one string, are kept under different locks.
 *
 * EXPECT: extended-race content length
 * WHY: different locks
 * GROUP: content length
 */
#include "../pair.h"

static unsigned content, length;

static unsigned f(unsigned old, const char *s)
{
	while (*s)
		old = old * 31 + (unsigned char)*s++;
	return old;
}

static unsigned g(unsigned old, const char *s)
{
	while (*s++)
		old++;
	return old;
}

static void append(const char *s)
{
	LOCK(m);
	content = f(content, s);
	UNLOCK(m);
}

static void reflow(const char *s)
{
	LOCK(n);
	length = g(length, s);
	UNLOCK(n);
}

static void a(void)
{
	char s[32];

	snprintf(s, sizeof(s), "line %d of a", 1);
	append(s);
	reflow(s);
}

static void b(void)
{
	char s[32];

	snprintf(s, sizeof(s), "line %d of b", 1);
	append(s);
	reflow(s);
}
