/*
 * Two threads join the same one.
 *
 * RUN: run --seed 1..20
 * EXPECT: misuse being joined already @main:SECOND
 * EXIT: 0
 */
#include "../program.h"

static pthread_t slow;

static void *last_long(void *arg)
{
	sleep(100);
	return NULL;
}

static void *join_slow(void *arg)
{
	finish(slow);
	return NULL;
}

int main(void)
{
	pthread_t t;

	slow = start(last_long, NULL);
	t = start(join_slow, NULL);
	sleep(1);
	assert(pthread_join(slow, NULL) == EINVAL); /* SECOND */
	finish(t);
	return 0;
}
