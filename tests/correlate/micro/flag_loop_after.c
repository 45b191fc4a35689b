/*
 * What the writer does after it has set the flag is not before what follows the loop.
 *
 * EXPECT: race data
 * ONE
 * RUN: --flag-loops
 */
#include "../pair.h"

static int data;
static volatile int flag, ready;

static void a(void)
{
	while (!ready)
		;
#ifdef GOOD
	data = 1;
#endif
	flag = 2;
#ifndef GOOD
	data = 1;
#endif
}

static void b(void)
{
	/* That the flag is one must be known when it is set, whoever comes first. */
	while (flag)
		;
	ready = 1;
	while (flag < 2)
		;
	data++;
}
