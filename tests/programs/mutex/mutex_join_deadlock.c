/*
 * A thread is joined by the one who holds the mutex that it needs.
 *
 * RUN: run
 * EXPECT: deadlock @worker:LOCK @main within 20 seeds
 */
#include "../program.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *worker(void *arg)
{
	pthread_mutex_lock(&m); /* LOCK */
	pthread_mutex_unlock(&m);
	return NULL;
}

int main(void)
{
	pthread_t t = start(worker, NULL);

	pthread_mutex_lock(&m);
	finish(t);
	pthread_mutex_unlock(&m);
	return 0;
}
