/*
 * Elements with locks of their own; one is taken for another. GOOD: the right one.
 *
 * EXPECT: race x
 */
#include "../pair.h"

static volatile int x[2];
static pthread_mutex_t l[2] = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER };

static void a(void)
{
	LOCK(l[1]);
	x[1]++;
	UNLOCK(l[1]);
}

static void b(void)
{
	LOCK(l[0]);
	x[0]++;
	UNLOCK(l[0]);
#ifdef GOOD
	LOCK(l[1]);
	x[1]++;
	UNLOCK(l[1]);
#else
	LOCK(l[0]);
	x[1]++;
	UNLOCK(l[0]);
#endif
}
