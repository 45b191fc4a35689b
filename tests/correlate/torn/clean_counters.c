/*
 * Counters that have nothing to do with each other are counted one after the other; the other
 * thread shows them.
 *
 * EXPECT: none
 */
#include "../pair.h"

static volatile long hits, total;

static void a(void)
{
	for (int i = 0; i < 10; i++) {
		LOCK(m);
		hits++;
		UNLOCK(m);
		LOCK(m);
		total++;
		UNLOCK(m);
	}
}

static void b(void)
{
	long h, t;

	for (int i = 0; i < 10; i++) {
		LOCK(m);
		h = hits;
		t = total;
		UNLOCK(m);
		printf("%ld %ld\n", h, t);
	}
}
