/*
 * A thread on memory that the program chose as its stack.
 *
 * RUN: run --seed 1..5
 * EXPECT: clean
 */
#include "../program.h"

static char *memory;
static size_t size = 1 << 20;

static void *on_it(void *arg)
{
	char here;

	assert(&here > memory && &here < memory + size);
	return arg;
}

int main(void)
{
	pthread_attr_t attr;
	pthread_t t;

	memory = aligned_alloc(4096, size);
	assert(memory);
	pthread_attr_init(&attr);
	assert(pthread_attr_setstack(&attr, memory, size) == 0);
	assert(pthread_create(&t, &attr, on_it, &size) == 0);
	assert(finish(t) == &size);
	free(memory);
	return 0;
}
