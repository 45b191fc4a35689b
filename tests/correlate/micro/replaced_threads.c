/*
 * Threads that come one after the other, each joined before the next is made, need no lock;
 * GOOD. Otherwise the last two are there at the same time.
 *
 * EXPECT: race x
 */

#include <pthread.h>

static volatile int x;

static void *work(void *arg)
{
	x++;
	return arg;
}

int main(void)
{
	pthread_t t, u;

	for (int i = 0; i < 20; i++) {
		pthread_create(&t, NULL, work, NULL);
		pthread_join(t, NULL);
	}
	pthread_create(&t, NULL, work, NULL);
#ifdef GOOD
	pthread_join(t, NULL);
#endif
	pthread_create(&u, NULL, work, NULL);
#ifndef GOOD
	pthread_join(t, NULL);
#endif
	pthread_join(u, NULL);
	return 0;
}
