/*
 * The lowest and the highest value seen so far are kept in two sections; a reader wants the span.
 * GOOD: in one.
 *
 * EXPECT: extended-race lowest highest
 */
#include <limits.h>
#include <pthread.h>
#include <stdio.h>

static int lowest = INT_MAX, highest = INT_MIN;
static pthread_mutex_t seen = PTHREAD_MUTEX_INITIALIZER;

static void note(int v)
{
	pthread_mutex_lock(&seen);
	if (v < lowest)
		lowest = v;
#ifndef GOOD
	pthread_mutex_unlock(&seen);
	pthread_mutex_lock(&seen);
#endif
	if (v > highest)
		highest = v;
	pthread_mutex_unlock(&seen);
}

static void *sensor(void *arg)
{
	const int *values = arg;

	for (int i = 0; i < 3; i++)
		note(values[i]);
	return NULL;
}

static void *display(void *arg)
{
	long span;

	pthread_mutex_lock(&seen);
	span = (long)highest - lowest;
	pthread_mutex_unlock(&seen);
	printf("%ld\n", span);
	return arg;
}

int main(void)
{
	pthread_t a, b;
	int values[3] = { 5, 9, 2 };

	pthread_create(&a, NULL, sensor, values);
	pthread_create(&b, NULL, display, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
