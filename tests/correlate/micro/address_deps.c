/*
 * A value is looked up in a table: which one it is depends on the index only by the address.
 * Compare address_deps_off.c.
 *
 * EXPECT: none
 * RUN: --address-deps
 * GROUP: chosen value
 */
#include "../pair.h"

static volatile int table[64] = { 3, 1, 4, 1, 5, 9, 2, 6 };
static volatile int chosen, value;

static void pick(int by)
{
	LOCK(m);
	chosen = (chosen + by) & 7;
	value = table[chosen];
	UNLOCK(m);
}

static void a(void)
{
	pick(1);
	pick(2);
}

static void b(void)
{
	pick(3);
	pick(4);
}
