/*
 * Width and height are read in two sections and printed together, before another thread replaces both by
 * one store of eight bytes.
 *
 * EXPECT: extended-race size.width size.height
 * ALWAYS: gcc-O2
 */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

struct size {
	int width, height;
} __attribute__((aligned(8)));

struct size size = { 640, 480 }, other = { 800, 600 };

static void *printer(void *arg)
{
	for (int i = 0; i < 3; i++) {
		int width, height;

		pthread_mutex_lock(&lock);
		width = size.width;
#ifndef GOOD
		pthread_mutex_unlock(&lock);
		pthread_mutex_lock(&lock);
#endif
		height = size.height;
		pthread_mutex_unlock(&lock);
		printf("%dx%d\n", width, height);
	}
	return arg;
}

static void *resizer(void *arg)
{
	pthread_mutex_lock(&lock);
	size = other;
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t t[2];

	pthread_create(&t[0], NULL, printer, NULL);
	pthread_create(&t[1], NULL, resizer, NULL);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	return 0;
}
