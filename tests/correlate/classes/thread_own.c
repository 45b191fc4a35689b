/*
 * A variable of each thread. GOOD: with __thread.
 *
 * EXPECT: race x
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static
#ifdef GOOD
	__thread
#endif
	volatile int x;

static void *run(void *arg)
{
	x++;
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, run, NULL);
	x++;
	pthread_join(t, NULL);
	return 0;
}
