/*
 * Two threads increment a plain counter without a lock: nothing happens between
 * scheduling points, unless accesses are scheduling points.
 *
 * RUN: run --races no --switch-at accesses
 * EXPECT: assertion counter == 2 @main within 20 seeds
 */
#include "../program.h"

static int counter;

static void *increment(void *arg)
{
	counter++;
	return NULL;
}

int main(void)
{
	pthread_t t = start(increment, NULL), u = start(increment, NULL);

	finish(t);
	finish(u);
	assert(counter == 2);
	return 0;
}
