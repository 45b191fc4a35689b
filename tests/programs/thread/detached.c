/*
 * Detached threads, from birth, by others and by themselves: they run, and main
 * waits for them by a condition. One that still sleeps ends with the process.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 * EXIT: 4
 */
#include "../program.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int done;

static void *count(void *arg)
{
	if (arg)
		assert(pthread_detach(pthread_self()) == 0);
	pthread_mutex_lock(&m);
	done++;
	pthread_cond_signal(&c);
	pthread_mutex_unlock(&m);
	return NULL;
}

static void *never_ends(void *arg)
{
	for (;;)
		sleep(1000000);
	return NULL;
}

int main(void)
{
	pthread_attr_t attr;
	pthread_t t;

	pthread_attr_init(&attr);
	assert(pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED) == 0);
	assert(pthread_create(&t, &attr, count, NULL) == 0);
	assert(pthread_create(&t, &attr, never_ends, NULL) == 0);
	start(count, &m);
	assert(pthread_detach(start(count, NULL)) == 0);
	pthread_mutex_lock(&m);
	while (done < 3)
		pthread_cond_wait(&c, &m);
	pthread_mutex_unlock(&m);
	return 4;
}
