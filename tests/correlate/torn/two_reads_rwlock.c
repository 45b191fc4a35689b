/*
 * Two parts are read under a lock for readers that is given back in between. GOOD: it is not.
 *
 * EXPECT: extended-race x y
 */
#include "../pair.h"

static volatile int x = 1, y = 2;
static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;

static void a(void)
{
	int first, second;

	pthread_rwlock_rdlock(&l);
	first = x;
#ifndef GOOD
	pthread_rwlock_unlock(&l);
	pthread_rwlock_rdlock(&l);
#endif
	second = y;
	pthread_rwlock_unlock(&l);
	if (second != 2 * first)
		puts("torn");
}

static void b(void)
{
	pthread_rwlock_wrlock(&l);
	x = 5;
	y = 10;
	pthread_rwlock_unlock(&l);
}
