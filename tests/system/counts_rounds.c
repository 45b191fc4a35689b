/*
 * A thread counts how often it looks for a flag that another one sets: there is a schedule for every
 * number, so no exploration comes to an end without a bound.
 */
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag, rounds;

static void *waits(void *arg)
{
	long n = 0;

	while (!atomic_load(&flag))
		n++;
	atomic_store(&rounds, (int)(n & 1));
	return NULL;
}

static void *sets(void *arg)
{
	atomic_store(&flag, 1);
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, waits, NULL);
	pthread_create(&b, NULL, sets, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
