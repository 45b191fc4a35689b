/*
 * Threads grow and shrink blocks of their own; memory they let go of is used by the others.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 * RUN: run --policy pct --pct-length 100 --seed 1..20
 * EXPECT: clean
 * RUN: run --switch-at accesses --seed 1..20
 * EXPECT: clean
 */
#include "../program.h"

static void *work(void *arg)
{
	char *block = NULL;

	for (size_t size = 16; size < 5000; size *= 2) {
		block = realloc(block, size);
		assert(size == 16 || block[size / 2 - 1] == 1);
		memset(block, 1, size);
	}
	block = realloc(block, 8);
	assert(block[7] == 1);
	free(block);
	return NULL;
}

int main(void)
{
	pthread_t t[3];

	for (int i = 0; i < 3; i++)
		t[i] = start(work, NULL);
	for (int i = 0; i < 3; i++)
		finish(t[i]);
	return 0;
}
