/*
 * The consumer looks at the number of items before it takes the lock.
 *
 * RUN: run --seed 1..5
 * EXPECT: race 'count' @produce @main
 */
#include "../program.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void *produce(void *arg)
{
	pthread_mutex_lock(&lock);
	count++;
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t t = start(produce, NULL);

	if (count > 0) {
		pthread_mutex_lock(&lock);
		count--;
		pthread_mutex_unlock(&lock);
	}
	finish(t);
	return count > 1;
}
