/*
 * Both print; the library has its own locks.
 *
 * EXPECT: none
 */
#include "../pair.h"

static void a(void)
{
	for (int i = 0; i < 10; i++)
		printf("a %d\n", i);
}

static void b(void)
{
	for (int i = 0; i < 10; i++)
		printf("b %d\n", i);
}
