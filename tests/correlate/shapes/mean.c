/*
 * Samples are added up in one section, their mean stored in the next; a reset clears all. GOOD: in one.
 *
 * EXPECT: extended-race sample average
 */
#include <pthread.h>
#include <stdio.h>

#define N 5

static int sample[N] = { 3, 4, 5, 6, 7 }, average;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *summarise(void *arg)
{
	int sum = 0;

	pthread_mutex_lock(&lock);
	for (int i = 0; i < N; i++)
		sum += sample[i];
#ifndef GOOD
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
#endif
	average = sum / N;
	pthread_mutex_unlock(&lock);
	return arg;
}

static void *reset(void *arg)
{
	pthread_mutex_lock(&lock);
	for (int i = 0; i < N; i++)
		sample[i] = 0;
	average = 0;
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, summarise, NULL);
	pthread_create(&b, NULL, reset, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	printf("%d\n", average);
	return 0;
}
