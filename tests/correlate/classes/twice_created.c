/*
 * Two threads one after the other; the first is not joined in time. GOOD: it is.
 *
 * EXPECT: race x
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static volatile int x;

static void *run(void *arg)
{
	x++;
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_t u;

	pthread_create(&t, NULL, run, NULL);
#ifdef GOOD
	pthread_join(t, NULL);
#else
#endif
	pthread_create(&u, NULL, run, NULL);
	pthread_join(u, NULL);
#ifdef GOOD
#else
	pthread_join(t, NULL);
#endif
	return 0;
}
