/*
 * A block is freed once its user was joined.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 * RUN: run --policy pct --pct-length 100 --seed 1..20
 * EXPECT: clean
 * RUN: run --switch-at accesses --seed 1..20
 * EXPECT: clean
 */
#include "../program.h"

static void *use(void *block)
{
	((char *)block)[20] = 1;
	return NULL;
}

int main(void)
{
	char *block = calloc(1, 64);
	pthread_t t = start(use, block);

	finish(t);
	assert(block[20] == 1);
	free(block);
	return 0;
}
