/*
 * The routine calls pthread_once on its own control variable: it waits for itself.
 *
 * RUN: run --seed 1..5
 * EXPECT: deadlock @init:SELF
 */
#include "../program.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void init(void)
{
	pthread_once(&once, init); /* SELF */
}

int main(void)
{
	pthread_once(&once, init);
	return 0;
}
