/*
 * A thread waits with a deadline that is past, again and again, until another one has slept: the wait
 * is a look at the clock, and time passes.
 *
 * RUN: run --seed 1..10
 * EXPECT: clean
 * RUN: run --policy pct --seed 1..10
 * EXPECT: clean
 * RUN: run --policy rr
 * EXPECT: clean
 */
#include "../program.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int done;

static void *sleep_then_set(void *arg)
{
	sleep(3600);
	pthread_mutex_lock(&mutex);
	done = 1;
	pthread_mutex_unlock(&mutex);
	return NULL;
}

int main(void)
{
	struct timespec past = { .tv_sec = 1 };
	pthread_t t = start(sleep_then_set, NULL);

	pthread_mutex_lock(&mutex);
	while (!done)
		pthread_cond_timedwait(&cond, &mutex, &past);
	pthread_mutex_unlock(&mutex);
	finish(t);
	return 0;
}
