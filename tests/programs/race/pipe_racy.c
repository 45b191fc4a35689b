/*
 * The byte goes into the pipe before the data is written.
 *
 * RUN: run --seed 1..5
 * EXPECT: race 'data' @produce @main
 */
#include "../program.h"

static int ends[2];
int data; /* not static: the compiler must not know all its values */

static void *produce(void *arg)
{
	assert(write(ends[1], "x", 1) == 1);
	data = 42;
	return NULL;
}

int main(void)
{
	pthread_t t;
	char byte;
	int seen;

	assert(pipe(ends) == 0);
	t = start(produce, NULL);
	assert(read(ends[0], &byte, 1) == 1);
	seen = data;
	finish(t);
	return seen < 0;
}
