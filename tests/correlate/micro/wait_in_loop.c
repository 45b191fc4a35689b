/*
 * A worker waits until there is something, and takes of it: what it saw before it waited does not
 * count any more. Without GOOD it looks in one critical section and takes in another.
 *
 * EXPECT: extended-race count
 * WHY: the lock was released in between
 */
#include <pthread.h>
#include <stdio.h>

static int count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;

static void *worker(void *arg)
{
	for (int i = 0; i < 5; i++) {
		int n;

		pthread_mutex_lock(&lock);
		while (!count)
			pthread_cond_wait(&more, &lock);
		n = count - 1;
#ifndef GOOD
		pthread_mutex_unlock(&lock);
		pthread_mutex_lock(&lock);
#endif
		count = n;
		pthread_mutex_unlock(&lock);
	}
	return arg;
}

/* Nothing orders this with the worker, whoever comes first. */
static void *adder(void *arg)
{
	for (int i = 0; i < 5; i++) {
		pthread_mutex_lock(&lock);
		count += 10;
		pthread_mutex_unlock(&lock);
	}
	return arg;
}

int main(void)
{
	pthread_t t, u;

	pthread_create(&t, NULL, worker, NULL);
	pthread_create(&u, NULL, adder, NULL);
	pthread_mutex_lock(&lock);
	count += 1000;
	pthread_cond_signal(&more);
	pthread_mutex_unlock(&lock);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	printf("%d\n", count > 0);
	return 0;
}
