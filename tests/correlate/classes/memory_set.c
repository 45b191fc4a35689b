/*
 * memset beside memcpy. GOOD: after it.
 *
 * EXPECT: race x
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char x[32], y[32];

static void *run(void *arg)
{
	memcpy(y, x, sizeof(y));
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, run, NULL);
#ifdef GOOD
	pthread_join(t, NULL);
	memset(x, 1, sizeof(x));
#else
	memset(x, 1, sizeof(x));
	pthread_join(t, NULL);
#endif
	puts(y[31] > 1 ? "wrong" : "right");
	return 0;
}
