/*
 * Counts are printed in one line, each read for itself, beside a thread that counts both in one critical
 * section and clears both now and then: each number stands for itself.
 *
 * EXPECT: none
 */
#include <pthread.h>
#include <stdio.h>

static long served, failed;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static long get(const long *count)
{
	long n;

	pthread_mutex_lock(&lock);
	n = *count;
	pthread_mutex_unlock(&lock);
	return n;
}

static void *serve(void *arg)
{
	for (int i = 0; i < 6; i++) {
		pthread_mutex_lock(&lock);
		served++;
		failed += i & 1;
		if (i == 4) {
			served = 0;
			failed = 0;
		}
		pthread_mutex_unlock(&lock);
	}
	return arg;
}

static void *show(void *arg)
{
	for (int i = 0; i < 3; i++)
		printf("%ld served, %ld failed\n", get(&served), get(&failed));
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, serve, NULL);
	pthread_create(&b, NULL, show, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
