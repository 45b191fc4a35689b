/*
 * A unit that begins in one function and ends in another: with -O2 both are inlined, and are still
 * told as they are in the source.
 *
 * EXPECT: extended-race total
 * WHY: the lock was released in between
 * EXTENT: look put
 */
#include "../pair.h"

static volatile int total;

static inline int look(void)
{
	int v;

	LOCK(m);
	v = total;
	UNLOCK(m);
	return v;
}

static inline void put(int v)
{
	LOCK(m);
	total = v;
	UNLOCK(m);
}

static void work(int rounds)
{
	for (int i = 0; i < rounds; i++) {
#ifdef GOOD
		LOCK(m);
		total++;
		UNLOCK(m);
#else
		put(look());
#endif
	}
}

static void a(void)
{
	work(3);
}

static void b(void)
{
	work(4);
}
