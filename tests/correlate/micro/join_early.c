/*
 * A result is read before its thread is joined. GOOD: after.
 *
 * EXPECT: race result
 */

#include <pthread.h>

static volatile int result;
int got;

static void *work(void *arg)
{
	result = 42;
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, work, NULL);
#ifndef GOOD
	got = result;
#endif
	pthread_join(t, NULL);
#ifdef GOOD
	got = result;
#endif
	return 0;
}
