/*
 * Who works has set a flag, and others wait for it on a condition.
 *
 * EXPECT: none
 */
#include "../pair.h"

static volatile int busy, x = 1, y = 2;
static pthread_cond_t idle = PTHREAD_COND_INITIALIZER;

static int work(int v)
{
	int t;

	LOCK(m);
	while (busy)
		pthread_cond_wait(&idle, &m);
	busy = 1;
	t = x;
	UNLOCK(m);
	t = t + v;
	LOCK(m);
	x = t;
	y = 2 * t;
	busy = 0;
	pthread_cond_signal(&idle);
	UNLOCK(m);
	return 1;
}

static void a(void)
{
	for (int i = 0; i < 10; i++)
		work(i);
}

static void b(void)
{
	for (int i = 0; i < 10; i++)
		work(2 * i);
}
