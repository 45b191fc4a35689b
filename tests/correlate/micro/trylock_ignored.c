/*
 * The result of trylock is ignored. GOOD: it is not.
 *
 * EXPECT: race x
 */
#include "../pair.h"

static volatile int x;
static pthread_barrier_t both;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void make(void)
{
	pthread_barrier_init(&both, NULL, 2);
}

static void a(void)
{
	pthread_once(&once, make);
	LOCK(m);
	pthread_barrier_wait(&both);
	x++;
	pthread_barrier_wait(&both);
	UNLOCK(m);
}

static void b(void)
{
	int got;

	pthread_once(&once, make);
	pthread_barrier_wait(&both);
	got = pthread_mutex_trylock(&m) == 0;
#ifdef GOOD
	if (got)
#endif
		x++;
	pthread_barrier_wait(&both);
	if (got)
		UNLOCK(m);
}
