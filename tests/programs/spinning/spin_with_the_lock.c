/*
 * A thread spins until a flag is set, with the mutex in its hands that the other one needs before it can
 * set it: nobody who can run will ever do anything else.
 *
 * RUN: run --seed 1..10
 * EXPECT: livelock @spin_locked
 * RUN: run --policy pct --seed 1..5
 * EXPECT: livelock @spin_locked
 * RUN: run --policy rr
 * EXPECT: livelock @spin_locked
 */
#include "../program.h"
#include <stdatomic.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static atomic_int has_it, flag;

static void *spin_locked(void *arg)
{
	pthread_mutex_lock(&mutex);
	atomic_store(&has_it, 1);
	while (!atomic_load(&flag))
		;
	pthread_mutex_unlock(&mutex);
	return NULL;
}

int main(void)
{
	pthread_t t = start(spin_locked, NULL);

	while (!atomic_load(&has_it))
		;
	pthread_mutex_lock(&mutex);
	atomic_store(&flag, 1);
	pthread_mutex_unlock(&mutex);
	finish(t);
	return 0;
}
