/*
 * Two threads look under a lock whether a third one has slept: taking and giving back a lock is no
 * progress of theirs, and time passes.
 *
 * RUN: run --seed 1..10
 * EXPECT: clean
 * RUN: run --policy pct --seed 1..10
 * EXPECT: clean
 * RUN: run --policy rr
 * EXPECT: clean
 */
#include "../program.h"
#include <sched.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int done;

static int is_done(void)
{
	int now;

	pthread_mutex_lock(&mutex);
	now = done;
	pthread_mutex_unlock(&mutex);
	return now;
}

static void *look(void *arg)
{
	while (!is_done())
		sched_yield();
	return NULL;
}

int main(void)
{
	pthread_t t = start(look, NULL), u = start(look, NULL);

	sleep(3600);
	pthread_mutex_lock(&mutex);
	done = 1;
	pthread_mutex_unlock(&mutex);
	finish(t);
	finish(u);
	return 0;
}
