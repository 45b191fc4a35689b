/*
 * Blocks are freed once each, also by a thread that did not ask for them; freeing nothing is fine.
 *
 * RUN: run --seed 1..5
 * EXPECT: clean
 */
#include "../program.h"

static void *drop(void *block)
{
	free(block);
	return NULL;
}

int main(void)
{
	char *mine = malloc(24);

	free(mine);
	free(NULL);
	finish(start(drop, malloc(5000)));
	finish(start(drop, NULL));
	return 0;
}
