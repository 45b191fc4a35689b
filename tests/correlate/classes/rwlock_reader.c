/*
 * A reader that does not take the lock. GOOD: it does.
 *
 * EXPECT: race x
 */
#include "../pair.h"

static volatile int x;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;

static void a(void)
{
	pthread_rwlock_wrlock(&rw);
	x = 5;
	pthread_rwlock_unlock(&rw);
}

static void b(void)
{
	int seen;

#ifdef GOOD
	pthread_rwlock_rdlock(&rw);
#endif
	seen = x;
#ifdef GOOD
	pthread_rwlock_unlock(&rw);
#endif
	if (seen > 9)
		puts("many");
}
