/*
 * A copy reads its source, which another thread writes.
 *
 * RUN: run --seed 1..5
 * EXPECT: race 'source[ @copy_out @main
 */
#include "../program.h"

#define SIZE 5000

static char buffer[SIZE], source[SIZE];

static void *copy_out(void *arg)
{
	memcpy(buffer, source, *(size_t *)arg);
	return NULL;
}

int main(void)
{
	size_t size = SIZE;
	pthread_t t = start(copy_out, &size);

	source[1234] = 1;
	finish(t);
	return buffer[1234] > 1;
}
