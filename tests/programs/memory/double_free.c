/*
 * A block is freed twice by one thread; another by two threads. The second time is told and ignored:
 * the program goes on.
 *
 * CC: -fno-builtin
 * RUN: run --seed 1..5
 * EXPECT: memory double free @main:TWICE @main:ONCE @main:MAKE
 * EXPECT: memory double free @drop
 * NEVER: crash
 * EXIT: 0
 * OUTPUT: still here
 */
#include "../program.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *drop(void *block)
{
	pthread_mutex_lock(&m);
	free(block);
	pthread_mutex_unlock(&m);
	return NULL;
}

int main(void)
{
	char *volatile mine = malloc(24), *shared = malloc(5000); /* MAKE */
	pthread_t a, b;

	free(mine); /* ONCE */
	free(mine); /* TWICE */
	a = start(drop, shared);
	b = start(drop, shared);
	finish(a);
	finish(b);
	mine = malloc(24);
	mine[23] = 1;
	free(mine);
	puts("still here");
	return 0;
}
