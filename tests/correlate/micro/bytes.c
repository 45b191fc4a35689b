/*
 * Neighbouring bytes are different variables; GOOD. Otherwise the same one.
 *
 * EXPECT: race flags
 */
#include "../pair.h"

static volatile char flags[8];

static void a(void)
{
	flags[2] = 1;
}

static void b(void)
{
#ifdef GOOD
	flags[3] = 1;
#else
	flags[2] = 2;
#endif
}
