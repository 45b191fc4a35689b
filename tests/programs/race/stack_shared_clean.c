/*
 * A local variable is lent to a thread until it is joined.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 * RUN: run --policy pct --pct-length 100 --seed 1..20
 * EXPECT: clean
 * RUN: run --switch-at accesses --seed 1..20
 * EXPECT: clean
 */
#include "../program.h"

static void *set(void *local)
{
	(*(int *)local)++;
	return NULL;
}

int main(void)
{
	for (int i = 0; i < 3; i++) {
		int local = i;
		pthread_t t = start(set, &local);

		finish(t);
		assert(local == i + 1);
	}
	return 0;
}
