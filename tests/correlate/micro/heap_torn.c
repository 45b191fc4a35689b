/*
 * The same in a block of the heap that main has made.
 *
 * EXPECT: extended-race heap
 */
#include "../pair.h"

#include <stdlib.h>

static int *volatile cell;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void make(void)
{
	cell = calloc(1, sizeof(*cell));
}

static void add(int n)
{
	int old;

	pthread_once(&once, make);
	LOCK(m);
	old = *cell;
#ifndef GOOD
	UNLOCK(m);
	LOCK(m);
#endif
	*cell = old + n;
	UNLOCK(m);
}

static void a(void)
{
	add(1);
}

static void b(void)
{
	add(2);
}
