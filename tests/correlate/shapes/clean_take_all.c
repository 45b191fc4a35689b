/*
 * What was counted is taken away as a whole and added to the total, which only this thread has.
 *
 * EXPECT: none
 */
#include <pthread.h>
#include <stdio.h>

static int fresh, total;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *count(void *arg)
{
	for (int i = 0; i < 5; i++) {
		pthread_mutex_lock(&lock);
		fresh++;
		pthread_mutex_unlock(&lock);
	}
	return arg;
}

static void *collect(void *arg)
{
	for (int i = 0; i < 3; i++) {
		int n;

		pthread_mutex_lock(&lock);
		n = fresh;
		fresh = 0;
		pthread_mutex_unlock(&lock);
		pthread_mutex_lock(&lock);
		total += n;
		pthread_mutex_unlock(&lock);
	}
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, count, NULL);
	pthread_create(&b, NULL, collect, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	printf("%d\n", total + fresh);
	return 0;
}
