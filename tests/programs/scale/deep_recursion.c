/*
 * Threads that use 6 MB of stack each, with a scheduling point at every level.
 *
 * RUN: run --seed 1..3
 * EXPECT: clean
 */
#include "../program.h"

#define FRAME 4096
#define LEVELS (6 * 1024 * 1024 / FRAME)

static __attribute__((noinline)) int descend(int level)
{
	volatile char frame[FRAME];
	int below;

	frame[0] = frame[FRAME - 1] = (char)level;
	if (level % 64 == 0)
		sched_yield();
	below = level == 0 ? 0 : descend(level - 1);
	assert(frame[0] == (char)level && frame[FRAME - 1] == (char)level);
	return below + 1;
}

static void *dive(void *arg)
{
	assert(descend(LEVELS) == LEVELS + 1);
	return NULL;
}

int main(void)
{
	pthread_t t = start(dive, NULL), u = start(dive, NULL);

	finish(t);
	finish(u);
	return 0;
}
