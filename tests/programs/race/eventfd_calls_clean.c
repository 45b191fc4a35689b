/*
 * A hand-over by eventfd_write and eventfd_read, which block inside libc.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 * RUN: run --switch-at accesses --seed 1..20
 * EXPECT: clean
 */
#include <sys/eventfd.h>

#include "../program.h"

static int data, event;

static void *produce(void *arg)
{
	data = 42;
	assert(eventfd_write(event, 1) == 0);
	return NULL;
}

int main(void)
{
	eventfd_t count;
	pthread_t t;

	event = eventfd(0, 0);
	t = start(produce, NULL);
	assert(eventfd_read(event, &count) == 0 && count == 1);
	assert(data == 42);
	finish(t);
	return 0;
}
