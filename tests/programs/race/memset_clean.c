/*
 * The bytes before and behind the range that is cleared belong to another thread.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 * RUN: run --policy pct --pct-length 100 --seed 1..20
 * EXPECT: clean
 * RUN: run --switch-at accesses --seed 1..20
 * EXPECT: clean
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
	buffer[0] = 1;
	buffer[256] = 1;
	return NULL;
}

int main(void)
{
	size_t size = 255;
	pthread_t a = start(clear, &size), b = start(mark, NULL);

	finish(a);
	finish(b);
	assert(buffer[0] == 1 && buffer[256] == 1);
	return 0;
}
