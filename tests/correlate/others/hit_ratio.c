/*
 * Hits and requests of a cache, changed together by workers, are read in two sections for a ratio that
 * decides how large the cache becomes. GOOD: read together.
 *
 * EXPECT: extended-race stats.requests stats.hits
 * PART
 */
#include <pthread.h>
#include <stdio.h>

static struct {
	unsigned hits, requests;
	pthread_mutex_t lock;
} stats = { 0, 1, PTHREAD_MUTEX_INITIALIZER };
static unsigned capacity = 4;

#define WITH_LOCK(l) for (int once_ = (pthread_mutex_lock(l), 1); once_; once_ = (pthread_mutex_unlock(l), 0))

static void *worker(void *arg)
{
	unsigned seed = 7;

	for (int i = 0; i < 6; i++) {
		seed = seed * 1103515245 + 12345;
		WITH_LOCK(&stats.lock) {
			stats.requests++;
			if (seed >> 16 & 1)
				stats.hits++;
		}
	}
	return arg;
}

static void *manager(void *arg)
{
	for (int i = 0; i < 4; i++) {
		unsigned hits, requests;

#ifdef GOOD
		WITH_LOCK(&stats.lock) {
			hits = stats.hits;
			requests = stats.requests;
		}
#else
		WITH_LOCK(&stats.lock)
			requests = stats.requests;
		WITH_LOCK(&stats.lock)
			hits = stats.hits;
#endif
		if (100 * hits / requests > 50)
			capacity *= 2;
	}
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, worker, NULL);
	pthread_create(&b, NULL, manager, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	printf("%u\n", capacity);
	return 0;
}
