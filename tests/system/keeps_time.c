/*
 * Threads that work until main has slept for a while, and one that waits with a short timeout: what
 * they print are virtual times and amounts of work, which must come out equal in every replay.
 */
#include "../programs/program.h"
#include <stdatomic.h>

#define WORKERS 2
#define NAPS    3

static atomic_int stop;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int cells[WORKERS][500], total;
static long rounds[WORKERS], timeouts, signals;

static void *work(void *arg)
{
	int me = (int)(intptr_t)arg;
	long i;

	for (i = 0; !atomic_load(&stop); i++) {
		for (int j = 0; j < 500; j++)
			cells[me][j] += j;
		pthread_mutex_lock(&mutex);
		total++;
		if (i % 100 == 0)
			pthread_cond_signal(&cond);
		pthread_mutex_unlock(&mutex);
	}
	rounds[me] = i;
	return NULL;
}

static void *tick(void *arg)
{
	while (!atomic_load(&stop)) {
		struct timespec t = at_ns(now_ns(CLOCK_REALTIME) + 50000);

		pthread_mutex_lock(&mutex);
		if (pthread_cond_timedwait(&cond, &mutex, &t) == ETIMEDOUT)
			timeouts++;
		else
			signals++;
		pthread_mutex_unlock(&mutex);
	}
	return NULL;
}

int main(void)
{
	int64_t began = now_ns(CLOCK_MONOTONIC);
	pthread_t t[WORKERS], ticker = start(tick, NULL);

	for (intptr_t i = 0; i < WORKERS; i++)
		t[i] = start(work, (void *)i);
	for (int i = 0; i < NAPS; i++) {
		usleep(500);
		printf("%lld\n", (long long)(now_ns(CLOCK_MONOTONIC) - began));
	}
	atomic_store(&stop, 1);
	for (int i = 0; i < WORKERS; i++) {
		finish(t[i]);
		printf("%ld\n", rounds[i]);
	}
	finish(ticker);
	printf("%d %ld %ld %lld\n", total, timeouts, signals,
	       (long long)(now_ns(CLOCK_MONOTONIC) - began));
	return 0;
}
