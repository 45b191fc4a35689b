/*
 * Data is written after the signal and outside the lock.
 *
 * RUN: run --seed 1..5
 * EXPECT: race 'data' @wait_for_data @main
 */
#include "../program.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready, data;

static void *wait_for_data(void *arg)
{
	pthread_mutex_lock(&lock);
	while (!ready)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
	return (void *)(intptr_t)data;
}

int main(void)
{
	pthread_t t = start(wait_for_data, NULL);

	pthread_mutex_lock(&lock);
	ready = 1;
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&lock);
	data = 42;
	finish(t);
	return 0;
}
