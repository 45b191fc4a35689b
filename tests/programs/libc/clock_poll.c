/*
 * A loop that waits for time to pass, without sleeping, ends: looking at the clock takes
 * time.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 */
#include <assert.h>
#include <pthread.h>
#include <time.h>

static long long now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ll + ts.tv_nsec;
}

static void *wait_a_millisecond(void *arg)
{
	long long until = now() + 1000000, last = 0, t;

	while ((t = now()) < until) {
		assert(t > last);
		last = t;
	}
	return NULL;
}

int main(void)
{
	pthread_t t[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, wait_a_millisecond, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return 0;
}
