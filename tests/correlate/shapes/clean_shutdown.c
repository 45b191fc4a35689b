/*
 * Workers look whether to stop, then take what there is to do; stopping changes nothing else.
 *
 * EXPECT: none
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>

static bool stop;
static int pending = 20, handled;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static bool stopped(void)
{
	bool s;

	pthread_mutex_lock(&lock);
	s = stop;
	pthread_mutex_unlock(&lock);
	return s;
}

static void *worker(void *arg)
{
	for (int i = 0; i < 5 && !stopped(); i++) {
		pthread_mutex_lock(&lock);
		if (pending) {
			pending--;
			handled++;
		}
		pthread_mutex_unlock(&lock);
	}
	return arg;
}

static void *boss(void *arg)
{
	pthread_mutex_lock(&lock);
	stop = true;
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t t[3];

	pthread_create(&t[0], NULL, worker, NULL);
	pthread_create(&t[1], NULL, worker, NULL);
	pthread_create(&t[2], NULL, boss, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	printf("%d %d\n", pending, handled);
	return 0;
}
