/*
 * The same through memory of pthread_setspecific(). GOOD: lock held throughout.
 *
 * EXPECT: extended-race level
 */
#include <pthread.h>
#include <stdlib.h>

static pthread_key_t key;
static int level;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int *mine(void)
{
	int *p = pthread_getspecific(key);

	if (!p) {
		p = malloc(sizeof(*p));
		pthread_setspecific(key, p);
	}
	return p;
}

static void *rise(void *arg)
{
	int *kept = mine();

	pthread_mutex_lock(&lock);
	*kept = level;
#ifndef GOOD
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
#endif
	level = *mine() + 2;
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_key_create(&key, free);
	pthread_create(&a, NULL, rise, NULL);
	pthread_create(&b, NULL, rise, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return level == 0;
}
