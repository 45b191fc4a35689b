/*
 * A writer that only has the lock for reading. GOOD: for writing.
 *
 * EXPECT: race x
 */
#include "../pair.h"

static volatile int x, seen;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;

static void a(void)
{
#ifdef GOOD
	pthread_rwlock_wrlock(&rw);
#else
	pthread_rwlock_rdlock(&rw);
#endif
	x++;
	pthread_rwlock_unlock(&rw);
}

static void b(void)
{
	pthread_rwlock_rdlock(&rw);
	seen = x;
	pthread_rwlock_unlock(&rw);
}
