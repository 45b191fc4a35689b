/*
 * Two counters are read one by one and added up; they are counted in different critical
 * sections anyway.
 *
 * EXPECT: none
 */
#include "../pair.h"

static volatile long hits, misses;

static void a(void)
{
	for (int i = 0; i < 10; i++) {
		long all;

		LOCK(m);
		all = hits;
		UNLOCK(m);
		LOCK(m);
		all += misses;
		UNLOCK(m);
		if (all > 100)
			puts("many");
	}
}

static void b(void)
{
	for (int i = 0; i < 10; i++) {
		LOCK(m);
		hits++;
		UNLOCK(m);
		LOCK(m);
		misses++;
		UNLOCK(m);
	}
}
