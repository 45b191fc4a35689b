/*
 * A hand-made lock of volatile flags (Peterson's): the write that lets the other one go is announced
 * before it happens, and others may run in between.
 *
 * RUN: run --races no --seed 1..20
 * EXPECT: clean
 * RUN: run --races no --switch-at accesses --seed 1..20
 * EXPECT: clean
 * RUN: run --races no --policy pct --seed 1..10
 * EXPECT: clean
 */
#include "../program.h"

static volatile int wants[2], turn, total;

static void *add(void *arg)
{
	int me = (int)(intptr_t)arg;

	for (int i = 0; i < 10; i++) {
		wants[me] = 1;
		turn = 1 - me;
		while (wants[1 - me] && turn == 1 - me)
			;
		total = total + 1;
		wants[me] = 0;
	}
	return NULL;
}

int main(void)
{
	pthread_t t = start(add, (void *)0), u = start(add, (void *)1);

	finish(t);
	finish(u);
	assert(total == 20);
	return 0;
}
