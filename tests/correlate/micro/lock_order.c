/*
 * A writes x and then uses a lock, B uses the lock and then writes x. In this run A comes first,
 * so the lock puts the two in order; another run may have it otherwise. GOOD: B looks
 * under the lock whether A was there.
 *
 * EXPECT: none
 * CANDIDATE: race x
 */
#include <sched.h>

#include "../pair.h"

static volatile long x, y;

static void a(void)
{
	x = 1;
	LOCK(m);
	y++;
	UNLOCK(m);
	LOCK(n); /* B goes on */
	sem_wait(&to_a);
	UNLOCK(n);
}

static void b(void)
{
	long seen;

	while (pthread_mutex_trylock(&n) == 0) {
		UNLOCK(n);
		sched_yield();
	}
	LOCK(m);
	seen = y++;
	UNLOCK(m);
#ifdef GOOD
	if (seen)
#endif
		x = 2;
	sem_post(&to_a);
}
