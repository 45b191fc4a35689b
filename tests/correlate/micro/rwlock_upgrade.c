/*
 * Read under a read lock, written under a write lock that was taken afterwards. GOOD: the
 * write lock from the beginning.
 *
 * EXPECT: extended-race x
 * WHY: released in between
 */
#include "../pair.h"

static volatile int x = 1;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;

static void update(void)
{
	int old;

#ifdef GOOD
	pthread_rwlock_wrlock(&rw);
#else
	pthread_rwlock_rdlock(&rw);
#endif
	old = x;
#ifndef GOOD
	pthread_rwlock_unlock(&rw);
	pthread_rwlock_wrlock(&rw);
#endif
	x = old * 3;
	pthread_rwlock_unlock(&rw);
}

static void a(void)
{
	update();
}

static void b(void)
{
	update();
}
