/*
 * A value is handed over by a condition variable; then its writer changes it once more.
 * GOOD: it does not.
 *
 * EXPECT: race box
 */
#include "../pair.h"

static volatile int box, full, got;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;

static void a(void)
{
	box = 7;
	LOCK(m);
	full = 1;
	pthread_cond_signal(&c);
	UNLOCK(m);
#ifndef GOOD
	box = 8;
#endif
}

static void b(void)
{
	LOCK(m);
	while (!full)
		pthread_cond_wait(&c, &m);
	UNLOCK(m);
	got = box;
}
