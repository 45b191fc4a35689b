/*
 * One condition variable for both sides of a buffer of one item, and a signal where only a broadcast reaches
 * the right side: a producer may wake another producer.
 *
 * FAILS: deadlock
 * CAUSE: full|condition variable 'c'
 * REMEDY: none
 */
#include <pthread.h>
#include <assert.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int full, sum;
#ifdef FIXED
#define WAKE pthread_cond_broadcast
#else
#define WAKE pthread_cond_signal
#endif

static void *put(void *a)
{
	for (int i = 0; i < 2; i++) {
		pthread_mutex_lock(&m);
		while (full)
			pthread_cond_wait(&c, &m);
		full = 1;
		WAKE(&c);
		pthread_mutex_unlock(&m);
	}
	return a;
}

static void *get(void *a)
{
	for (int i = 0; i < 2; i++) {
		pthread_mutex_lock(&m);
		while (!full)
			pthread_cond_wait(&c, &m);
		full = 0;
		sum++;
		WAKE(&c);
		pthread_mutex_unlock(&m);
	}
	return a;
}

int main(void)
{
	pthread_t t[4];
	pthread_create(t, 0, put, 0);
	pthread_create(t + 1, 0, put, 0);
	pthread_create(t + 2, 0, get, 0);
	pthread_create(t + 3, 0, get, 0);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], 0);
	assert(sum == 4);
	return 0;
}
