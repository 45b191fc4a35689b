/*
 * Two counters, each with its own lock, in one loop, with one step: nothing to do with each
 * other.
 *
 * EXPECT: none
 */
#include "../pair.h"

static volatile int step = 2, p, q;

static void loop(void)
{
	for (int i = 0; i < 10; i++) {
		LOCK(m);
		p += step;
		UNLOCK(m);
		LOCK(n);
		q += i;
		UNLOCK(n);
	}
}

static void a(void)
{
	loop();
}

static void b(void)
{
	loop();
}
