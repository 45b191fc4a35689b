/*
 * Computed without the lock and written only if nothing has changed meanwhile.
 *
 * EXPECT: none
 */
#include "../pair.h"

static volatile int value = 1;

static void update(void)
{
	for (;;) {
		int old, new, done = 0;

		LOCK(m);
		old = value;
		UNLOCK(m);
		new = old * 3 + 1;
		LOCK(m);
		if (value == old) {
			value = new;
			done = 1;
		}
		UNLOCK(m);
		if (done)
			break;
	}
}

static void a(void)
{
	update();
}

static void b(void)
{
	update();
}
