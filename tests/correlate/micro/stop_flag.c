/*
 * A flag under a lock decides whether a loop goes on; what the loop does has its own locks.
 *
 * EXPECT: none
 */
#include "../pair.h"

static volatile int stop, done;

static void loop(void)
{
	for (int i = 0; i < 30; i++) {
		int end;

		LOCK(m);
		end = stop;
		UNLOCK(m);
		if (end)
			break;
		LOCK(n);
		done++;
		UNLOCK(n);
	}
}

static void a(void)
{
	loop();
	LOCK(m);
	stop = 1;
	UNLOCK(m);
}

static void b(void)
{
	loop();
}
