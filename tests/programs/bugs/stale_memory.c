/*
 * A freed block is given out again while another thread still reads it through an old
 * pointer: the value is somebody else's. If blocks are watched, the freed one is kept, and the read
 * of it is noticed.
 *
 * RUN: run --races no --heap no
 * EXPECT: assertion seen @reader:CHECK within 30 seeds
 * RUN: run --races no
 * EXPECT: memory use after free @reader:READ @main within 30 seeds
 * NEVER: assertion
 */
#include "../program.h"
#include <stdatomic.h>

static _Atomic(int *) shared;

static void *reader(void *arg)
{
	int *mine = atomic_load(&shared), seen;

	if (!mine)
		return NULL;
	sched_yield();
	seen = *mine; /* READ */
	assert(seen == 1); /* CHECK */
	return NULL;
}

int main(void)
{
	int *block = malloc(64), *next;
	pthread_t t;

	*block = 1;
	atomic_store(&shared, block);
	t = start(reader, NULL);
	atomic_store(&shared, NULL);
	free(block);
	next = malloc(64);
	*next = 2;
	finish(t);
	free(next);
	return 0;
}
