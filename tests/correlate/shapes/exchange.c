/*
 * Two shared cells are exchanged through a local, one store in each section; a reader wants their
 * difference. GOOD: both stores in one.
 *
 * EXPECT: extended-race left right difference
 */
#include <pthread.h>
#include <stdio.h>

static long left = 1, right = 2, difference;
static pthread_mutex_t lk = PTHREAD_MUTEX_INITIALIZER;

static void *exchange(void *unused)
{
	long keep;

	pthread_mutex_lock(&lk);
	keep = left;
	left = right;
#ifndef GOOD
	pthread_mutex_unlock(&lk);
	puts("half way");
	pthread_mutex_lock(&lk);
#endif
	right = keep;
	pthread_mutex_unlock(&lk);
	return unused;
}

static void *subtract(void *unused)
{
	pthread_mutex_lock(&lk);
	difference = left - right;
	pthread_mutex_unlock(&lk);
	return unused;
}

int main(void)
{
	pthread_t x, s;

	pthread_create(&x, NULL, exchange, NULL);
	pthread_create(&s, NULL, subtract, NULL);
	pthread_join(x, NULL);
	pthread_join(s, NULL);
	return difference == 0;
}
