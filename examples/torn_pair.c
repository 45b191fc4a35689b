/*
 * `low` and `high` are the ends of one range. Each has its own lock and every access is locked, so
 * there is no data race; but a reader that comes between the two updates sees an end of the old range
 * and one of the new. `heddle correlate` finds out by itself that the two belong together.
 *
 *   cc -g -O1 torn_pair.c -o torn_pair -pthread
 *   heddle correlate -- ./torn_pair
 */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t low_lock = PTHREAD_MUTEX_INITIALIZER;
#ifdef FIXED
#define high_lock low_lock
#else
static pthread_mutex_t high_lock = PTHREAD_MUTEX_INITIALIZER;
#endif
static int low = 10, high = 20;

static void move(int by)
{
	int l, h;

#ifdef FIXED
	pthread_mutex_lock(&low_lock);
	l = low + by;
	h = high + by;
	low = l;
	high = h;
	pthread_mutex_unlock(&low_lock);
#else
	pthread_mutex_lock(&low_lock);
	l = low;
	pthread_mutex_unlock(&low_lock);
	pthread_mutex_lock(&high_lock);
	h = high;
	pthread_mutex_unlock(&high_lock);
	pthread_mutex_lock(&low_lock);
	low = l + by;
	pthread_mutex_unlock(&low_lock);
	pthread_mutex_lock(&high_lock);
	high = h + by;
	pthread_mutex_unlock(&high_lock);
#endif
}

static void *mover(void *by)
{
	for (int i = 0; i < 10; i++)
		move(*(int *)by);
	return NULL;
}

int main(void)
{
	pthread_t t[2];
	int steps[] = { 1, 2 };

	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, mover, &steps[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	printf("%s\n", high - low == 10 ? "whole" : "torn");
	return 0;
}
