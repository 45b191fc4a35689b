/*
 * Each thread counts for itself and adds its sum once.
 *
 * EXPECT: none
 */
#include <pthread.h>
#include <stdio.h>

static long total, threads;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *count(void *arg)
{
	long mine = 0;

	for (int i = 0; i < *(int *)arg; i++)
		mine += i;
	pthread_mutex_lock(&lock);
	total += mine;
	threads++;
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t t[3];
	int n[3] = { 10, 20, 30 };

	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, count, &n[i]);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	printf("%ld %ld\n", total, threads);
	return 0;
}
