/*
 * The last byte of a copy of a megabyte is read by another thread.
 *
 * RUN: run --seed 1..5
 * EXPECT: race 'buffer[ @copy_in @main
 */
#include "../program.h"

#define SIZE (1 << 20)

static char buffer[SIZE], source[SIZE];

static void *copy_in(void *arg)
{
	memcpy(buffer, source, *(size_t *)arg);
	return NULL;
}

int main(void)
{
	size_t size = SIZE;
	pthread_t t = start(copy_in, &size);
	int seen = buffer[SIZE - 1];

	finish(t);
	return seen;
}
