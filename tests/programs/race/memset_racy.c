/*
 * The range that is cleared holds one byte that another thread writes.
 *
 * RUN: run --seed 1..5
 * EXPECT: race 'buffer[ @clear @mark
 */
#include "../program.h"

static char buffer[300];

static void *clear(void *size)
{
	memset(buffer + 1, 0, *(size_t *)size);
	return NULL;
}

static void *mark(void *arg)
{
	buffer[255] = 1;
	return NULL;
}

int main(void)
{
	size_t size = 255;
	pthread_t a = start(clear, &size), b = start(mark, NULL);

	finish(a);
	finish(b);
	return buffer[255] > 1;
}
