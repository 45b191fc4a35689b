/*
 * A thread locks a normal mutex that it holds already.
 *
 * RUN: run --seed 1..5
 * EXPECT: deadlock m @relock:AGAIN
 */
#include "../program.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *relock(void *arg)
{
	pthread_mutex_lock(&m);
	pthread_mutex_lock(&m); /* AGAIN */
	return NULL;
}

int main(void)
{
	finish(start(relock, NULL));
	return 0;
}
