/*
 * A loop on a volatile variable that nobody will ever set.
 *
 * RUN: run --seed 1..3
 * EXPECT: livelock @waits
 */
#include "../program.h"

static volatile int flag;

static void *waits(void *arg)
{
	while (!flag)
		;
	return NULL;
}

int main(void)
{
	finish(start(waits, NULL));
	return 0;
}
