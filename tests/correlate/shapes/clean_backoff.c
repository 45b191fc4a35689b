/*
 * Failures are counted and cleared; the wait is computed of what was seen, and not written back.
 *
 * EXPECT: none
 */
#include <pthread.h>
#include <stdio.h>

static int failures, attempts;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *try_it(void *arg)
{
	long waited = 0;

	for (int i = 0; i < 5; i++) {
		int seen;

		pthread_mutex_lock(&lock);
		attempts++;
		if (i % 3 == 2)
			failures = 0;
		else
			failures++;
		seen = failures;
		pthread_mutex_unlock(&lock);
		waited += 1L << seen;
	}
	printf("%ld\n", waited);
	return arg;
}

int main(void)
{
	pthread_t t[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, try_it, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return attempts != 10;
}
