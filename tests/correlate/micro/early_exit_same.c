/*
 * As early_exit.c, but the round that looks is the one that sets: another thread may come in between.
 *
 * EXPECT: extended-race state
 * WHY: released
 */
#include "../pair.h"

static volatile int state, others;

static void a(void)
{
	for (int i = 0; i < 6; i++) {
		int now;

		LOCK(m);
		now = state;
		UNLOCK(m);
		if (now > 100)
			break;
		LOCK(m);
		state = 1;
		UNLOCK(m);
	}
}

static void b(void)
{
	LOCK(m);
	state = 2;
	others++;
	UNLOCK(m);
}
