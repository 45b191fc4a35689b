/*
 * A new thread gets the stack of one that was joined.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 * RUN: run --policy pct --pct-length 100 --seed 1..20
 * EXPECT: clean
 * RUN: run --switch-at accesses --seed 1..20
 * EXPECT: clean
 */
#include "../program.h"

static void __attribute__((noinline)) fill(char *from, char value)
{
	memset(from, value, 3000);
}

static void *work(void *arg)
{
	char local[3000];

	fill(local, (char)(intptr_t)arg);
	assert(local[2999] == (char)(intptr_t)arg);
	return NULL;
}

int main(void)
{
	for (intptr_t i = 0; i < 4; i++) {
		pthread_t a = start(work, (void *)i), b = start(work, (void *)(i + 10));

		finish(a);
		finish(b);
	}
	return 0;
}
