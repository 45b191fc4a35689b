/*
 * Who works over two critical sections has set a flag; others leave it alone when they see it.
 *
 * EXPECT: none
 */
#include "../pair.h"

static volatile int busy, x = 1, y = 2;

static void a(void)
{
	for (int i = 0; i < 10; i++) {
		int t;

		LOCK(m);
		if (busy) {
			UNLOCK(m);
			continue;
		}
		busy = 1;
		t = x;
		UNLOCK(m);
		LOCK(m);
		y = 2 * t;
		busy = 0;
		UNLOCK(m);
	}
}

static void b(void)
{
	for (int i = 0; i < 10; i++) {
		LOCK(m);
		if (!busy) {
			x = i;
			y = 2 * i;
		}
		UNLOCK(m);
	}
}
