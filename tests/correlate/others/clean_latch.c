/*
 * Workers fill in results of their own and count a latch down; who waits for it reads the results without the lock.
 *
 * EXPECT: none
 */
#include <pthread.h>
#include <stdio.h>

#define WORKERS 3

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t none_left = PTHREAD_COND_INITIALIZER;
static int left = WORKERS;
static int low[WORKERS], high[WORKERS];

static void *worker(void *arg)
{
	int me = (int)(long)arg;

	low[me] = me * 10;
	high[me] = me * 10 + 9;
	pthread_mutex_lock(&lock);
	if (--left == 0)
		pthread_cond_broadcast(&none_left);
	pthread_mutex_unlock(&lock);
	return NULL;
}

static void *collector(void *arg)
{
	int span = 0;

	pthread_mutex_lock(&lock);
	while (left > 0)
		pthread_cond_wait(&none_left, &lock);
	pthread_mutex_unlock(&lock);
	for (int i = 0; i < WORKERS; i++)
		span += high[i] - low[i];
	*(int *)arg = span;
	return NULL;
}

int main(void)
{
	pthread_t t[WORKERS + 1];
	int span = 0;

	pthread_create(&t[WORKERS], NULL, collector, &span);
	for (long i = 0; i < WORKERS; i++)
		pthread_create(&t[i], NULL, worker, (void *)i);
	for (int i = 0; i <= WORKERS; i++)
		pthread_join(t[i], NULL);
	printf("%d\n", span);
	return 0;
}
