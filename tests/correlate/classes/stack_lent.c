/*
 * A local of main is lent to a thread, and changed meanwhile. GOOD: when it is over.
 *
 * EXPECT: race other
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>



static void *run(void *arg)
{
	++*(volatile int *)arg;
	return arg;
}

int main(void)
{
	pthread_t t;

	volatile int x = 1;

	pthread_create(&t, NULL, run, (void *)&x);
#ifdef GOOD
	pthread_join(t, NULL);
	x++;
#else
	x++;
	pthread_join(t, NULL);
#endif
	return 0;
}
