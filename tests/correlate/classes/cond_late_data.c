/*
 * Data is written after those who wait for it were told. GOOD: before.
 *
 * EXPECT: race data
 */
#include "../pair.h"

static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static volatile int ready, data;

static void a(void)
{
#ifdef GOOD
	data = 5;
#endif
	LOCK(m);
	ready = 1;
	pthread_cond_signal(&c);
	UNLOCK(m);
#ifndef GOOD
	data = 5;
#endif
}

static void b(void)
{
	int seen;

	LOCK(m);
	while (!ready)
		pthread_cond_wait(&c, &m);
	UNLOCK(m);
	seen = data;
	if (seen > 9)
		puts("many");
}
