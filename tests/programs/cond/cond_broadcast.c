/*
 * A broadcast lets all waiters go on, and each holds the mutex when it does.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 * RUN: run --spurious --seed 1..20
 * EXPECT: clean
 */
#include "../program.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int go, inside, passed;

static void *wait_for_go(void *arg)
{
	pthread_mutex_lock(&m);
	while (!go)
		assert(pthread_cond_wait(&c, &m) == 0);
	assert(inside++ == 0);
	sched_yield();
	assert(--inside == 0);
	passed++;
	pthread_mutex_unlock(&m);
	return NULL;
}

int main(void)
{
	pthread_t t[4];

	assert(pthread_cond_broadcast(&c) == 0); /* nobody is there: no effect */
	for (int i = 0; i < 4; i++)
		t[i] = start(wait_for_go, NULL);
	pthread_mutex_lock(&m);
	go = 1;
	assert(pthread_cond_broadcast(&c) == 0);
	pthread_mutex_unlock(&m);
	for (int i = 0; i < 4; i++)
		finish(t[i]);
	assert(passed == 4);
	return 0;
}
