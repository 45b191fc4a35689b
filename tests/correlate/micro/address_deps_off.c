/*
 * As address_deps.c, without the option, and with a table that changes: nothing ties the index to what is found with it.
 *
 * EXPECT: none
 * NOGROUP: chosen value
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

static void fill(void)
{
	LOCK(m);
	for (int i = 0; i < 8; i++)
		table[i] = i * 3;
	UNLOCK(m);
}

static void a(void)
{
	fill();
	pick(1);
	pick(2);
}

static void b(void)
{
	fill();
	pick(3);
	pick(4);
}
