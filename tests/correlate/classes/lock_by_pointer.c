/*
 * The lock is found through a pointer; it leads to another one. GOOD: to the same.
 *
 * EXPECT: race x
 */
#include "../pair.h"

static volatile int x;
static pthread_mutex_t *const mine = &m;
static pthread_mutex_t *const other =
#ifdef GOOD
	&m;
#else
	&n;
#endif

static void a(void)
{
	pthread_mutex_lock(mine);
	x++;
	pthread_mutex_unlock(mine);
}

static void b(void)
{
	pthread_mutex_lock(other);
	x++;
	pthread_mutex_unlock(other);
}
