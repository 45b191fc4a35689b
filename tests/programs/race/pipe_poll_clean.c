/*
 * The reader learns by poll that the byte is there.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 * RUN: run --policy pct --pct-length 100 --seed 1..20
 * EXPECT: clean
 * RUN: run --switch-at accesses --seed 1..20
 * EXPECT: clean
 */
#include "../program.h"
#include <poll.h>

static int data, ends[2];

static void *produce(void *arg)
{
	data = 42;
	assert(write(ends[1], "x", 1) == 1);
	return NULL;
}

int main(void)
{
	struct pollfd poller = {.events = POLLIN};
	pthread_t t;

	assert(pipe(ends) == 0);
	poller.fd = ends[0];
	t = start(produce, NULL);
	assert(poll(&poller, 1, -1) == 1);
	assert(data == 42);
	finish(t);
	return 0;
}
