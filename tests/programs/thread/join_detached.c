/*
 * A detached thread that still runs is joined.
 *
 * RUN: run --seed 1..20
 * EXPECT: misuse pthread_join of the detached thread T2 @main:JOIN
 * EXIT: 0
 */
#include "../program.h"

static void *stay(void *arg)
{
	sleep(10);
	return arg;
}

int main(void)
{
	pthread_t t = start(stay, NULL);

	assert(pthread_detach(t) == 0);
	assert(pthread_join(t, NULL) == EINVAL); /* JOIN */
	return 0;
}
