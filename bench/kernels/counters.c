/*
 * Striped counters: each of two threads adds to all stripes, each under its lock.
 *
 *   counters [ROUNDS]      prints the sum
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define STRIPES 64

static struct {
	pthread_mutex_t lock;
	long count[8];
} stripes[STRIPES];
static long rounds = 300000;

static void *work(void *arg)
{
	for (long i = 0; i < rounds; i++) {
		long s = (i * 7 + (arg ? 3 : 0)) % STRIPES;

		pthread_mutex_lock(&stripes[s].lock);
		for (int k = 0; k < 8; k++)
			stripes[s].count[k] += k;
		pthread_mutex_unlock(&stripes[s].lock);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t other;
	long sum = 0;

	if (argc > 1)
		rounds = atol(argv[1]);
	for (int s = 0; s < STRIPES; s++)
		pthread_mutex_init(&stripes[s].lock, NULL);
	pthread_create(&other, NULL, work, &sum);
	work(NULL);
	pthread_join(other, NULL);
	for (int s = 0; s < STRIPES; s++)
		for (int k = 0; k < 8; k++)
			sum += stripes[s].count[k];
	printf("%ld\n", sum);
	return 0;
}
