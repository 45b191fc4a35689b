/*
 * Each thread counts for itself, in a slot that it finds by a key, or by its handle.
 * clean
 */
#include <assert.h>
#include <pthread.h>

static pthread_key_t key;
static pthread_t handles[64];
static int counts[64], more[64], slots, known;

static int *by_key(void)
{
	int *count = pthread_getspecific(key), slot;

	if (!count) {
#pragma omp atomic capture
		slot = slots++;
		count = &counts[slot];
		pthread_setspecific(key, count);
	}
	return count;
}

static int *by_handle(void)
{
	pthread_t me = pthread_self();
	int at = 0;

#pragma omp critical
	{
		while (at < known && !pthread_equal(handles[at], me))
			at++;
		if (at == known)
			handles[known++] = me;
	}
	return &more[at];
}

int main(void)
{
	int sum = 0;

	pthread_key_create(&key, NULL);
#pragma omp parallel for
	for (int i = 0; i < 60; i++)
		++*by_key();
#pragma omp parallel for
	for (int i = 0; i < 60; i++)
		++*by_handle();
	for (int i = 0; i < 64; i++)
		sum += counts[i] + more[i];
	assert(sum == 120);
	return 0;
}
