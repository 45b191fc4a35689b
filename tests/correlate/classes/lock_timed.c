/*
 * A lock with a time limit, which is long. GOOD: on both sides.
 *
 * EXPECT: race x
 */
#include <time.h>

#include "../pair.h"

static volatile int x;

static void a(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	t.tv_sec += 100;
	if (pthread_mutex_timedlock(&m, &t))
		return;
	x++;
	UNLOCK(m);
}

static void b(void)
{
#ifdef GOOD
	LOCK(m);
#endif
	x++;
#ifdef GOOD
	UNLOCK(m);
#endif
}
