/*
 * Two updates in two steps each; one thread begins long after the other, unless that is held up.
 *
 *   held_up MICROSECONDS
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int balance;
static useconds_t later;

static int get(void)
{
	int now;

	pthread_mutex_lock(&mutex);
	now = balance;
	pthread_mutex_unlock(&mutex);
	return now;
}

static void put(int now)
{
	pthread_mutex_lock(&mutex);
	balance = now;
	pthread_mutex_unlock(&mutex);
}

static void *deposit(void *arg)
{
	if (arg && later)
		usleep(later);
	put(get() + 1);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[2];

	later = argc > 1 ? (useconds_t)atoi(argv[1]) : 0;
	for (long i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, deposit, (void *)i);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert(balance == 2);
	return 0;
}
