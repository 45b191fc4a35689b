/*
 * Two threads take two mutexes in opposite orders, but let go of the first when the
 * second is busy: no deadlock, and no livelock either, for somebody gets through.
 *
 * RUN: run --seed 1..30
 * EXPECT: clean
 * RUN: run --policy pct --seed 1..20
 * EXPECT: clean
 */
#include "../program.h"

static pthread_mutex_t m[2] = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER };
static int both;

static void *take(void *arg)
{
	int first = (int)(intptr_t)arg;

	for (int i = 0; i < 5; i++) {
		pthread_mutex_lock(&m[first]);
		while (pthread_mutex_trylock(&m[1 - first]) != 0) {
			pthread_mutex_unlock(&m[first]);
			sched_yield();
			pthread_mutex_lock(&m[first]);
		}
		both++;
		pthread_mutex_unlock(&m[1 - first]);
		pthread_mutex_unlock(&m[first]);
	}
	return NULL;
}

int main(void)
{
	pthread_t t = start(take, (void *)0), u = start(take, (void *)1);

	finish(t);
	finish(u);
	assert(both == 10);
	return 0;
}
