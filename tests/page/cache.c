/* Two threads count hits of an item in a cache on the heap: the lock is given back too early, and one sleeps. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct item {
	int key, hits[4];
};

struct cache {
	pthread_mutex_t lock;
	struct item *first;
};

static void *user(void *arg)
{
	struct cache *cache = arg;
	struct item *item;

	pthread_mutex_lock(&cache->lock);
	item = cache->first;
	pthread_mutex_unlock(&cache->lock);
	usleep(2500);
	item->hits[2]++;
	return NULL;
}

int main(void)
{
	struct cache *cache = calloc(1, sizeof(*cache));
	pthread_t threads[2];

	pthread_mutex_init(&cache->lock, NULL);
	cache->first = calloc(1, sizeof(*cache->first));
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, user, cache);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	printf("%d hits\n", cache->first->hits[2]);
	free(cache->first);
	free(cache);
	return 0;
}
