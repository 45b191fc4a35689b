/*
 * Looking at a flag once is not waiting for it, with --flag-loops as well.
 *
 * EXPECT: race data
 * ALSO: flag
 * RUN: --flag-loops
 */
#include "../pair.h"

#include <sched.h>

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
		sched_yield();
#else
	if (!flag)
		sched_yield();
#endif
	data++;
}
