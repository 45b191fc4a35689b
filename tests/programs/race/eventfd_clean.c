/*
 * Data handed over by an eventfd.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 * RUN: run --policy pct --pct-length 100 --seed 1..20
 * EXPECT: clean
 * RUN: run --switch-at accesses --seed 1..20
 * EXPECT: clean
 */
#include "../program.h"
#include <sys/eventfd.h>

static int data, event;

static void *produce(void *arg)
{
	uint64_t one = 1;

	data = 42;
	assert(write(event, &one, sizeof(one)) == sizeof(one));
	return NULL;
}

int main(void)
{
	uint64_t count;
	pthread_t t;

	event = eventfd(0, 0);
	t = start(produce, NULL);
	assert(read(event, &count, sizeof(count)) == sizeof(count) && count == 1);
	assert(data == 42);
	finish(t);
	return 0;
}
