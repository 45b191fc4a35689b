/*
 * Whoever takes a number does that number's work; the numbers are handed out with the lock.
 *
 * EXPECT: none
 */
#include <pthread.h>
#include <stdio.h>

#define WORK 10

static int next, square[WORK];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int take(void)
{
	int n;

	pthread_mutex_lock(&lock);
	n = next < WORK ? next++ : -1;
	pthread_mutex_unlock(&lock);
	return n;
}

static void *work(void *arg)
{
	int n;

	while ((n = take()) >= 0)
		square[n] = n * n;
	return arg;
}

int main(void)
{
	pthread_t t[3];

	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, work, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	printf("%d\n", square[WORK - 1]);
	return 0;
}
