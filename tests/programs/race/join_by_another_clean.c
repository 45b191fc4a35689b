/*
 * To join the thread that joined the writer is order enough.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 * RUN: run --policy pct --pct-length 100 --seed 1..20
 * EXPECT: clean
 * RUN: run --switch-at accesses --seed 1..20
 * EXPECT: clean
 */
#include "../program.h"

static int x;

static void *child(void *arg)
{
	x = 1;
	return NULL;
}

static void *joiner(void *arg)
{
	finish(*(pthread_t *)arg);
	return NULL;
}

int main(void)
{
	pthread_t t = start(child, NULL), u = start(joiner, &t);

	finish(u);
	assert(x == 1);
	return 0;
}
