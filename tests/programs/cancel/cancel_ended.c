/*
 * Cancelling a thread that has ended but was not joined does nothing; the thread
 * that cleans up is not cancelled again.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 */
#include "../program.h"

static int cleaned;

static void *ends(void *arg)
{
	return arg;
}

static void clean_slowly(void *arg)
{
	sleep(10);
	pthread_testcancel();
	cleaned = 1;
}

static void *sleeps(void *arg)
{
	pthread_cleanup_push(clean_slowly, NULL);
	sleep(1000);
	pthread_cleanup_pop(0);
	return NULL;
}

int main(void)
{
	pthread_t t = start(ends, &cleaned);

	sleep(1);
	assert(pthread_cancel(t) == 0);
	assert(finish(t) == &cleaned);
	t = start(sleeps, NULL);
	sleep(1);
	assert(pthread_cancel(t) == 0);
	sleep(1); /* it is in its handler by now */
	assert(pthread_cancel(t) == 0);
	assert(finish(t) == PTHREAD_CANCELED);
	assert(cleaned);
	return 0;
}
