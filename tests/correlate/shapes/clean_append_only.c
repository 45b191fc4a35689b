/*
 * A log only grows: how many there are is read first, and those are read in a later section.
 *
 * EXPECT: none
 */
#include <pthread.h>
#include <stdio.h>

static int line[16], lines;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *append(void *arg)
{
	for (int i = 0; i < 6; i++) {
		pthread_mutex_lock(&lock);
		line[lines] = i;
		lines++;
		pthread_mutex_unlock(&lock);
	}
	return arg;
}

static void *show(void *arg)
{
	int n, sum = 0;

	pthread_mutex_lock(&lock);
	n = lines;
	pthread_mutex_unlock(&lock);
	for (int i = 0; i < n; i++) {
		pthread_mutex_lock(&lock);
		sum += line[i];
		pthread_mutex_unlock(&lock);
	}
	printf("%d\n", sum);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, show, NULL);
	pthread_create(&b, NULL, append, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
