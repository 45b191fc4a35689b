/*
 * A thread is joined again after it was joined.
 *
 * RUN: run --seed 1..5
 * EXPECT: misuse joined already @main:AGAIN
 * EXIT: 0
 */
#include "../program.h"

static void *nothing(void *arg)
{
	return arg;
}

int main(void)
{
	pthread_t t = start(nothing, NULL);

	finish(t);
	assert(pthread_join(t, NULL) == ESRCH); /* AGAIN */
	return 0;
}
