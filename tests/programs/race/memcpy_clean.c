/*
 * Two threads fill the two parts of a megabyte from one source; the border is at an odd byte.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 * RUN: run --policy pct --pct-length 100 --seed 1..20
 * EXPECT: clean
 * RUN: run --switch-at accesses --seed 1..20
 * EXPECT: clean
 */
#include "../program.h"

#define SIZE (1 << 20)
#define PART 500003

static char buffer[SIZE], source[SIZE];
static size_t sizes[2] = {PART, SIZE - PART};

static void *copy_in(void *arg)
{
	size_t part = (size_t)(intptr_t)arg;

	memcpy(buffer + part * PART, source, sizes[part]);
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	memset(source, 7, SIZE);
	a = start(copy_in, (void *)0);
	b = start(copy_in, (void *)1);
	finish(a);
	finish(b);
	assert(buffer[PART - 1] == 7 && buffer[PART] == 7 && buffer[SIZE - 1] == 7);
	return 0;
}
