/*
 * A sleeper looks at the clock in one critical section and waits in another one: the tick that it waits for may
 * come in between.
 *
 * FAILS: deadlock
 * CAUSE: now|condition variable 'tick'
 * REMEDY: 'm'
 */
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t tick = PTHREAD_COND_INITIALIZER;
static int now;

#ifndef FIXED
static int is_early(int time)
{
	pthread_mutex_lock(&m);
	int early = now < time;
	pthread_mutex_unlock(&m);
	return early;
}
#endif

static void *sleeper(void *x)
{
#ifdef FIXED
	pthread_mutex_lock(&m);
	while (now < 2)
		pthread_cond_wait(&tick, &m);
	pthread_mutex_unlock(&m);
#else
	while (is_early(2)) {
		pthread_mutex_lock(&m);
		pthread_cond_wait(&tick, &m);
		pthread_mutex_unlock(&m);
	}
#endif
	return x;
}

static void *clock_(void *x)
{
	for (int i = 0; i < 2; i++) {
		pthread_mutex_lock(&m);
		now++;
		pthread_cond_broadcast(&tick);
		pthread_mutex_unlock(&m);
	}
	return x;
}

int main(void)
{
	pthread_t s, t;
	pthread_create(&s, 0, sleeper, 0);
	pthread_create(&t, 0, clock_, 0);
	pthread_join(s, 0);
	pthread_join(t, 0);
	return 0;
}
