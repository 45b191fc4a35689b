/*
 * Two parts are read in two critical sections; if the version has changed they are read again.
 *
 * EXPECT: none
 */
#include "../pair.h"

static volatile int version, x = 1, y = 2;

static void a(void)
{
	int first, second, v, w;

	for (int i = 0; i < 10; i++) {
		do {
			LOCK(m);
			v = version;
			first = x;
			UNLOCK(m);
			LOCK(m);
			second = y;
			w = version;
			UNLOCK(m);
		} while (v != w);
		if (second != 2 * first)
			puts("torn");
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
