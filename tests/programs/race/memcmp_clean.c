/*
 * Many compare and measure what nobody writes.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 * RUN: run --policy pct --pct-length 100 --seed 1..20
 * EXPECT: clean
 * RUN: run --switch-at accesses --seed 1..20
 * EXPECT: clean
 */
#include "../program.h"

static char left[200], right[200];

static void *compare(void *size)
{
	assert(memcmp(left, right, *(size_t *)size) == 0);
	assert(strlen(left) == 199 && memchr(right, 0, *(size_t *)size) == right + 199);
	return NULL;
}

int main(void)
{
	size_t size = 200;
	pthread_t a, b;

	memset(left, 'x', 199);
	memset(right, 'x', 199);
	a = start(compare, &size);
	b = start(compare, &size);
	finish(a);
	finish(b);
	return 0;
}
