/*
 * A buffer is replaced: the pointer in one section, its size in the next; a reader walks over it by
 * both. GOOD: in one.
 *
 * EXPECT: extended-race buffer size
 * MISSED: -O0 -O2
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static int *buffer;
static int size;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void replace(int *to, int n)
{
	int *old;

	pthread_mutex_lock(&lock);
	old = buffer;
	buffer = to;
#ifndef GOOD
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
#endif
	size = n;
	pthread_mutex_unlock(&lock);
	free(old);
}

static void *shrink(void *arg)
{
	int n = *(int *)arg;

	replace(calloc((size_t)n, sizeof(int)), n);
	return NULL;
}

static void *walk(void *arg)
{
	int sum = 0;

	pthread_mutex_lock(&lock);
	for (int i = 0; i < size; i++)
		sum += buffer[i];
	pthread_mutex_unlock(&lock);
	printf("%d\n", sum);
	return arg;
}

int main(void)
{
	pthread_t a, b;
	int n = 2;

	buffer = calloc(8, sizeof(int));
	size = 8;
	pthread_create(&a, NULL, shrink, &n);
	pthread_create(&b, NULL, walk, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	free(buffer);
	return 0;
}
