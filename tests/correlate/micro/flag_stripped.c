/*
 * A flag under a lock says that the data is there; no function has a symbol. The data is changed
 * once more after that. GOOD: it is not.
 *
 * EXPECT: race other
 * STRIP
 */
#include "../pair.h"

static volatile int data, ready, got;

__attribute__((noinline)) static int is_ready(void)
{
	int yes;

	LOCK(m);
	yes = ready;
	UNLOCK(m);
	return yes;
}

__attribute__((noinline)) static void a(void)
{
	data = 7;
	LOCK(m);
	ready = 1;
	UNLOCK(m);
#ifndef GOOD
	data = 8;
#endif
}

__attribute__((noinline)) static void b(void)
{
	while (!is_ready())
		sched_yield();
	got = data;
}
