/*
 * A loop that gives up after some rounds may have been left for that.
 *
 * EXPECT: race data
 * ALSO: flag
 * RUN: --flag-loops
 */
#include "../pair.h"

static int data;
static volatile int flag;

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
	for (int i = 0; i < 1000000 && !flag; i++)
		;
#endif
	data++;
}
