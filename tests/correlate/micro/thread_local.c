/*
 * Variables of each thread's own.
 *
 * EXPECT: none
 */
#include "../pair.h"

static __thread int mine;

static void a(void)
{
	for (int i = 0; i < 10; i++)
		mine += i;
}

static void b(void)
{
	for (int i = 0; i < 10; i++)
		mine += i;
}
