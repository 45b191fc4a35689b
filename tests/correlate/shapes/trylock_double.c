/*
 * With trylock: a value is read under one success and doubled under the next. GOOD: under one.
 *
 * EXPECT: extended-race amount
 */
#include <pthread.h>
#include <sched.h>

static int amount = 1;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void get_lock(void)
{
	while (pthread_mutex_trylock(&lock))
		sched_yield();
}

static void *twice(void *arg)
{
	int seen;

	get_lock();
	seen = amount;
#ifndef GOOD
	pthread_mutex_unlock(&lock);
	get_lock();
#endif
	amount = 2 * seen;
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t t[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, twice, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return amount < 2;
}
