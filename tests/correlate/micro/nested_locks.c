/*
 * An inner lock comes and goes while the outer one is kept.
 *
 * EXPECT: none
 */
#include "../pair.h"

static volatile int x = 1, y;

static void update(void)
{
	int old;

	LOCK(m);
	old = x;
	LOCK(n);
	y++;
	UNLOCK(n);
	x = old + 1;
	UNLOCK(m);
}

static void a(void)
{
	update();
}

static void b(void)
{
	update();
}
