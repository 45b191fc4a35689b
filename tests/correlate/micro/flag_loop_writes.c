/*
 * A loop that does something of its own in each round does not only wait: it orders nothing, with --flag-loops as well.
 *
 * EXPECT: race data
 * ALSO: flag
 * RUN: --flag-loops
 */
#include "../pair.h"

static int data;
static volatile int flag, rounds;

static void a(void)
{
	data = 1;
	flag = 1;
}

static void b(void)
{
#ifdef GOOD
	while (!flag)
		;
#else
	while (!flag)
		rounds++;
#endif
	data++;
}
