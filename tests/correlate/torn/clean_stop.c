/*
 * A thread works until it is told to stop; who tells it shows how far it came.
 *
 * EXPECT: none
 */
#include "../pair.h"

static volatile int stop, done;

static void a(void)
{
	for (int i = 0; i < 1000; i++) {
		LOCK(m);
		if (stop) {
			UNLOCK(m);
			break;
		}
		UNLOCK(m);
		LOCK(m);
		done++;
		UNLOCK(m);
	}
}

static void b(void)
{
	LOCK(m);
	stop = 1;
	printf("%d\n", done);
	UNLOCK(m);
}
