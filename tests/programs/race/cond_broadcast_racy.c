/*
 * All that wake up from a broadcast write the same variable after the lock.
 *
 * RUN: run --seed 1..5
 * EXPECT: race 'last' @wait_for_start
 */
#include "../program.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready, last;

static void *wait_for_start(void *arg)
{
	pthread_mutex_lock(&lock);
	while (!ready)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
	last = (int)(intptr_t)arg;
	return NULL;
}

int main(void)
{
	pthread_t a = start(wait_for_start, (void *)1), b = start(wait_for_start, (void *)2);

	pthread_mutex_lock(&lock);
	ready = 1;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
	finish(a);
	finish(b);
	return last > 2;
}
