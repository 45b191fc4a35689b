/*
 * A routine that is left by cancellation counts as never called: the next one runs it.
 *
 * RUN: run --races no --seed 1..20
 * EXPECT: clean
 */
#include "../program.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int calls, complete;

static void init(void)
{
	if (++calls == 1)
		sleep(3600); /* is cancelled here */
	complete++;
}

static void *use(void *arg)
{
	pthread_once(&once, init);
	return arg;
}

int main(void)
{
	pthread_t first = start(use, NULL), second;

	sleep(1);
	second = start(use, &calls); /* finds it running */
	sleep(1);
	assert(calls == 1 && complete == 0);
	assert(pthread_cancel(first) == 0);
	assert(finish(first) == PTHREAD_CANCELED);
	assert(finish(second) == &calls);
	assert(calls == 2 && complete == 1);
	assert(pthread_once(&once, init) == 0 && calls == 2);
	return 0;
}
