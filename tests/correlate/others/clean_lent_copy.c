/*
 * What is copied goes through a block that others use as well, with the lock: the second section reads what
 * is there then. At the end the block is freed, and the memory used anew.
 *
 * EXPECT: none
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static int x = 1, *board;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *copier(void *arg)
{
	pthread_mutex_lock(&lock);
	*board = x;
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
	x = *board + 1;
	pthread_mutex_unlock(&lock);
	return arg;
}

static void *adder(void *arg)
{
	pthread_mutex_lock(&lock);
	x += 5;
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
	*board += 5;
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	board = malloc(sizeof(*board));
	*board = 2;
	pthread_create(&a, NULL, copier, NULL);
	pthread_create(&b, NULL, adder, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	free(board);
	board = calloc(1, sizeof(*board));
	printf("%d %d\n", x, *board);
	return 0;
}
