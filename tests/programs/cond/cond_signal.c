/*
 * One signal lets exactly one waiter go on.
 *
 * RUN: run --races no --seed 1..20
 * EXPECT: clean
 */
#include "../program.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER, ready = PTHREAD_COND_INITIALIZER;
static int waiting, woken;

static void *wait_once(void *arg)
{
	pthread_mutex_lock(&m);
	waiting++;
	pthread_cond_signal(&ready);
	/* No loop: without --spurious heddle wakes nobody by itself, so the count is exact. */
	assert(pthread_cond_wait(&c, &m) == 0);
	woken++;
	pthread_mutex_unlock(&m);
	return NULL;
}

int main(void)
{
	pthread_t t[3];

	for (int i = 0; i < 3; i++)
		t[i] = start(wait_once, NULL);
	pthread_mutex_lock(&m);
	while (waiting < 3)
		pthread_cond_wait(&ready, &m);
	pthread_mutex_unlock(&m);
	for (int i = 1; i <= 3; i++) {
		assert(pthread_cond_signal(&c) == 0);
		sleep(1); /* in virtual time: until nobody else can run */
		assert(woken == i);
	}
	for (int i = 0; i < 3; i++)
		finish(t[i]);
	assert(pthread_cond_destroy(&c) == 0);
	return 0;
}
