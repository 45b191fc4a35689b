/*
 * Two numbers that belong together, each under a lock of its own. Every access is locked, but
 * whoever looks between the two updates sees numbers that do not fit.
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t counts = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t sizes = PTHREAD_MUTEX_INITIALIZER;
static int items; /* under counts */
static int bytes; /* under sizes: eight for each item */

static void *add(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&counts);
	items++;
	pthread_mutex_unlock(&counts);

	/* An item that is counted, and has no bytes yet. */

	pthread_mutex_lock(&sizes);
	bytes += 8;
	pthread_mutex_unlock(&sizes);
	return NULL;
}

static void *audit(void *arg)
{
	int seen, total;

	(void)arg;
	pthread_mutex_lock(&counts);
	seen = items;
	pthread_mutex_unlock(&counts);
	pthread_mutex_lock(&sizes);
	total = bytes / 8;
	pthread_mutex_unlock(&sizes);
	assert(seen == total);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, add, NULL);
	pthread_create(&threads[1], NULL, audit, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
