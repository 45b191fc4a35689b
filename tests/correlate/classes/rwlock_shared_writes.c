/*
 * Both write with the lock shared. GOOD: alone.
 *
 * EXPECT: race x
 */
#include "../pair.h"

static volatile int x;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;

static void add(void)
{
#ifdef GOOD
	pthread_rwlock_wrlock(&rw);
#else
	pthread_rwlock_rdlock(&rw);
#endif
	x++;
	pthread_rwlock_unlock(&rw);
}

static void a(void)
{
	add();
}

static void b(void)
{
	add();
}
