/*
 * A local variable of main is given to two threads. GOOD: with a lock.
 *
 * EXPECT: race other
 */

#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *arg)
{
#ifdef GOOD
	pthread_mutex_lock(&m);
#endif
	++*(volatile int *)arg;
#ifdef GOOD
	pthread_mutex_unlock(&m);
#endif
	return NULL;
}

int main(void)
{
	volatile int local = 0;
	pthread_t t[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, work, (void *)&local);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return 0;
}
