/*
 * A setting is read before the work; it and what the work counts are written in different
 * critical sections.
 *
 * EXPECT: none
 */
#include "../pair.h"

static volatile int step = 1, count;

static void a(void)
{
	for (int i = 0; i < 10; i++) {
		int s;

		LOCK(m);
		s = step;
		UNLOCK(m);
		LOCK(m);
		count += s;
		UNLOCK(m);
	}
}

static void b(void)
{
	for (int i = 0; i < 10; i++) {
		LOCK(m);
		step = i;
		UNLOCK(m);
		LOCK(m);
		printf("%d\n", count);
		UNLOCK(m);
	}
}
