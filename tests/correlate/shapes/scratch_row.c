/*
 * The same through a row of a table that is the worker's own. GOOD: lock held throughout.
 *
 * EXPECT: extended-race total scratch
 */
#include <pthread.h>
#include <stdint.h>

#define WORKERS 3

static uint64_t total, scratch[WORKERS][8];
static pthread_mutex_t total_lock = PTHREAD_MUTEX_INITIALIZER;

static void *add(void *arg)
{
	uintptr_t me = (uintptr_t)arg;

	pthread_mutex_lock(&total_lock);
	scratch[me][0] = total;
#ifndef GOOD
	pthread_mutex_unlock(&total_lock);
	pthread_mutex_lock(&total_lock);
#endif
	total = scratch[me][0] + me + 1;
	pthread_mutex_unlock(&total_lock);
	return NULL;
}

int main(void)
{
	pthread_t t[WORKERS];

	for (uintptr_t i = 0; i < WORKERS; i++)
		pthread_create(&t[i], NULL, add, (void *)i);
	for (int i = 0; i < WORKERS; i++)
		pthread_join(t[i], NULL);
	return total == 0;
}
