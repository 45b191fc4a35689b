/*
 * Nobody asks whether it has come. GOOD: in a loop.
 *
 * EXPECT: race data
 */
#include "../pair.h"

static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static volatile int ready, data;

static void a(void)
{
	data = 5;
	LOCK(m);
	ready = 1;
	pthread_cond_signal(&c);
	UNLOCK(m);
}

static void b(void)
{
#ifdef GOOD
	LOCK(m);
	while (!ready)
		pthread_cond_wait(&c, &m);
	UNLOCK(m);
#endif
	if (data > 9)
		puts("many");
}
