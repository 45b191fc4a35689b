/*
 * Asynchronous cancellation ends a thread that reaches no cancellation point.
 *
 * RUN: run --races no --seed 1..20
 * EXPECT: clean
 */
#include "../program.h"

static volatile int spinning;

static void *spin(void *arg)
{
	int old;

	assert(pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &old) == 0);
	assert(old == PTHREAD_CANCEL_DEFERRED);
	spinning = 1;
	for (;;)
		spinning++;
	return NULL;
}

static void *cancels_itself(void *arg)
{
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
	pthread_cancel(pthread_self());
	abort();
}

int main(void)
{
	pthread_t t = start(spin, NULL);

	while (!spinning)
		sched_yield();
	assert(pthread_cancel(t) == 0);
	assert(finish(t) == PTHREAD_CANCELED);
	assert(finish(start(cancels_itself, NULL)) == PTHREAD_CANCELED);
	return 0;
}
