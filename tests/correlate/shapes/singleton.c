/*
 * An object is made on demand: looked for in one section, stored in the next, by two threads. Only
 * one of them stores in a given run. GOOD: made with the lock held.
 *
 * EXPECT: extended-race instance
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct thing {
	int id;
};

struct thing *instance; /* not static: clang would make a flag of another name of it */
static pthread_mutex_t mu = PTHREAD_MUTEX_INITIALIZER;

static struct thing *get(void)
{
	struct thing *t;

	pthread_mutex_lock(&mu);
	t = instance;
	if (t == NULL) {
#ifndef GOOD
		pthread_mutex_unlock(&mu);
#endif
		t = malloc(sizeof(*t));
		t->id = 1;
#ifndef GOOD
		pthread_mutex_lock(&mu);
#endif
		instance = t;
	}
	pthread_mutex_unlock(&mu);
	return t;
}

static void *worker(void *arg)
{
	return get() ? arg : NULL;
}

int main(void)
{
	pthread_t t[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, worker, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return 0;
}
