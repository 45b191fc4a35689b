/*
 * A thread is cancelled while it holds a mutex and has no handler to give it back.
 *
 * RUN: run --seed 1..20
 * EXPECT: deadlock m @main:LOCK
 */
#include "../program.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *hold(void *arg)
{
	pthread_mutex_lock(&m);
	sleep(1000);
	pthread_mutex_unlock(&m);
	return NULL;
}

int main(void)
{
	pthread_t t = start(hold, NULL);

	sleep(1);
	pthread_cancel(t);
	finish(t);
	pthread_mutex_lock(&m); /* LOCK */
	return 0;
}
