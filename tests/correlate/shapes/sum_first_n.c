/*
 * How many there are is asked in one section, that many are added up in the next; the other thread
 * takes some away. GOOD: in one.
 *
 * EXPECT: extended-race count cell
 */
#include <pthread.h>
#include <stdio.h>

static int cell[6] = { 1, 1, 1, 1, 1, 1 }, count = 6;
static pthread_mutex_t cells = PTHREAD_MUTEX_INITIALIZER;

static void *add_up(void *arg)
{
	int n, sum = 0;

	pthread_mutex_lock(&cells);
	n = count;
#ifndef GOOD
	pthread_mutex_unlock(&cells);
	pthread_mutex_lock(&cells);
#endif
	for (int i = 0; i < n; i++)
		sum += cell[i];
	pthread_mutex_unlock(&cells);
	printf("%d\n", sum);
	return arg;
}

static void *take(void *arg)
{
	pthread_mutex_lock(&cells);
	count--;
	cell[count] = 0;
	count--;
	cell[count] = 0;
	pthread_mutex_unlock(&cells);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, add_up, NULL);
	pthread_create(&b, NULL, take, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
