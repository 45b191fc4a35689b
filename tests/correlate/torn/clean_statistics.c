/*
 * Statistics are read one by one for printing, beside threads that count several of them in
 * one critical section.
 *
 * EXPECT: none
 */
#include "../pair.h"

static volatile long hits, misses, bytes;

static void a(void)
{
	for (int i = 0; i < 10; i++) {
		long h, n, k;

		LOCK(m);
		h = hits;
		UNLOCK(m);
		LOCK(m);
		n = misses;
		UNLOCK(m);
		LOCK(m);
		k = bytes;
		UNLOCK(m);
		printf("%ld %ld %ld\n", h, n, k);
	}
}

static void b(void)
{
	for (int i = 0; i < 10; i++) {
		LOCK(m);
		hits++;
		bytes += 100;
		UNLOCK(m);
		LOCK(m);
		misses++;
		bytes += 50;
		UNLOCK(m);
	}
}
