/*
 * Two locks, always in the same order; a recursive one inside.
 *
 * EXPECT: none
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t outer = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t inner = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static int stock, sold, log_lines;

static void log_line(void)
{
	pthread_mutex_lock(&inner);
	log_lines++;
	pthread_mutex_unlock(&inner);
}

static void *shop(void *arg)
{
	for (int i = 0; i < 3; i++) {
		pthread_mutex_lock(&outer);
		stock += 2;
		pthread_mutex_lock(&inner);
		log_line();
		sold += stock > 3;
		pthread_mutex_unlock(&inner);
		pthread_mutex_unlock(&outer);
	}
	return arg;
}

int main(void)
{
	pthread_t t[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, shop, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	printf("%d %d %d\n", stock, sold, log_lines);
	return 0;
}
