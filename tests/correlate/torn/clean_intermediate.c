/*
 * A state is set before the work, and again together with the result after it: both states
 * that others can see are meant.
 *
 * EXPECT: none
 */
#include "../pair.h"

static volatile int running, result;

static void a(void)
{
	for (int i = 0; i < 5; i++) {
		LOCK(m);
		running = 1;
		UNLOCK(m);
		LOCK(m);
		result = i + 7;
		running = 0;
		UNLOCK(m);
	}
}

static void b(void)
{
	for (int i = 0; i < 5; i++) {
		int r, v;

		LOCK(m);
		r = running;
		v = result;
		UNLOCK(m);
		if (r + v > 100)
			puts("large");
	}
}
