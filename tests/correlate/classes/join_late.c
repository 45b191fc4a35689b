/*
 * What a thread wrote is read before it was joined. GOOD: after.
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
	x = 5;
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, run, NULL);
#ifdef GOOD
	pthread_join(t, NULL);
	if (x > 9)
		puts("many");
#else
	if (x > 9)
		puts("many");
	pthread_join(t, NULL);
#endif
	return 0;
}
