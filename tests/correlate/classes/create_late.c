/*
 * Data is written after the thread was created. GOOD: before.
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
	if (x > 9)
		puts("many");
	return arg;
}

int main(void)
{
	pthread_t t;

#ifdef GOOD
	x = 5;
	pthread_create(&t, NULL, run, NULL);
#else
	pthread_create(&t, NULL, run, NULL);
	x = 5;
#endif
	pthread_join(t, NULL);
	return 0;
}
