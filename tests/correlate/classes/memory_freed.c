/*
 * A block is freed while the other uses it. GOOD: after it was joined.
 *
 * EXPECT: race heap
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int *p;

static void *run(void *arg)
{
	p[1] = 7;
	return arg;
}

int main(void)
{
	pthread_t t;

	p = calloc(4, sizeof(*p));
	pthread_create(&t, NULL, run, NULL);
#ifdef GOOD
	pthread_join(t, NULL);
	free(p);
#else
	free(p);
	pthread_join(t, NULL);
#endif
	return 0;
}
