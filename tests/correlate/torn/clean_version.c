/*
 * What was computed meanwhile is written only if the version is still the same; otherwise it
 * is tried again.
 *
 * EXPECT: none
 */
#include "../pair.h"

static volatile int version, x = 1, y = 2;

static void a(void)
{
	int t, v, done = 0;

	while (!done) {
		LOCK(m);
		v = version;
		t = x;
		UNLOCK(m);
		t = t * 2;
		LOCK(m);
		if (version == v) {
			y = t;
			done = 1;
		}
		UNLOCK(m);
	}
}

static void b(void)
{
	for (int i = 0; i < 10; i++) {
		LOCK(m);
		version = version + 1;
		x = i;
		y = 2 * i;
		UNLOCK(m);
	}
}
