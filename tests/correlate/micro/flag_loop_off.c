/*
 * Without --flag-loops a loop that waits for a plain flag orders nothing, as the language has it.
 *
 * EXPECT: race data
 * ALSO: flag
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
	while (!flag)
		;
	data++;
}
