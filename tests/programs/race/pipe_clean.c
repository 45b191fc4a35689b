/*
 * Data handed over by a byte in a pipe.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 * RUN: run --policy pct --pct-length 100 --seed 1..20
 * EXPECT: clean
 * RUN: run --switch-at accesses --seed 1..20
 * EXPECT: clean
 */
#include "../program.h"

static int data, ends[2];

static void *produce(void *arg)
{
	data = 42;
	assert(write(ends[1], "x", 1) == 1);
	return NULL;
}

int main(void)
{
	pthread_t t;
	char byte;

	assert(pipe(ends) == 0);
	t = start(produce, NULL);
	assert(read(ends[0], &byte, 1) == 1);
	assert(data == 42);
	finish(t);
	return 0;
}
