/*
 * A number is drawn under a lock, used without it, and another drawn: each is the thread's
 * own.
 *
 * EXPECT: none
 */
#include "../pair.h"

static volatile int next;
static int work[200];

static void loop(void)
{
	for (;;) {
		int i;

		LOCK(m);
		i = next++;
		UNLOCK(m);
		if (i >= 100)
			break;
		work[i] = i;
	}
}

static void a(void)
{
	loop();
}

static void b(void)
{
	loop();
}
