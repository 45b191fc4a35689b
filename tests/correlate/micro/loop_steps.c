/*
 * Sum and length of a text are kept under different locks. GOOD: the text only decides how many
 * steps there are, and each is counted in two places, one after the other.
 *
 * EXPECT: extended-race first second
 * WHY: different locks
 */
#include "../pair.h"

static volatile long first, second;

static void add(long x, long y)
{
	LOCK(m);
	first += x;
	UNLOCK(m);
	LOCK(n);
	second += y;
	UNLOCK(n);
}

static void count(const char *text)
{
#ifdef GOOD
	for (; *text; text++) {
		LOCK(m);
		first++;
		UNLOCK(m);
		LOCK(n);
		second++;
		UNLOCK(n);
	}
#else
	long sum = 0, length = 0;

	for (; *text; text++) {
		sum += *text;
		length++;
	}
	add(sum, length);
#endif
}

static void work(int number)
{
	char text[40];

	snprintf(text, sizeof(text), "text %d of some length", number);
	count(text);
}

static void a(void)
{
	work(1);
}

static void b(void)
{
	work(2);
}
