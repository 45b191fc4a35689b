/*
 * Parts of an array that overlap in one element. GOOD: they do not.
 *
 * EXPECT: race x
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static volatile int x[8];
#ifdef GOOD
#define END 4
#else
#define END 5
#endif

static void *run(void *arg)
{
	for (int i = 0; i < END; i++)
		x[i]++;
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, run, NULL);
	for (int i = 4; i < 8; i++)
		x[i]++;
	pthread_join(t, NULL);
	return 0;
}
