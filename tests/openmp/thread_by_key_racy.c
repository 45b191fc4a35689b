/*
 * Threads find their counters by a key, but the counter is the same for all.
 * race: 26 26
 */
#include <pthread.h>

static pthread_key_t key;
static int count;

static int *by_key(void)
{
	int *mine = pthread_getspecific(key);

	if (!mine) {
		mine = &count;
		pthread_setspecific(key, mine);
	}
	return mine;
}

int main(void)
{
	pthread_key_create(&key, NULL);
#pragma omp parallel for
	for (int i = 0; i < 60; i++)
		++*by_key();
	return 0;
}
