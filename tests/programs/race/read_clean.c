/*
 * The kernel fills as many bytes as it said; those behind them are another thread's.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 * RUN: run --policy pct --pct-length 100 --seed 1..20
 * EXPECT: clean
 * RUN: run --switch-at accesses --seed 1..20
 * EXPECT: clean
 */
#include "../program.h"

static char buffer[8];
static int ends[2];

static void *receive(void *arg)
{
	assert(read(ends[0], buffer, sizeof(buffer)) == 5);
	return NULL;
}

int main(void)
{
	pthread_t t;

	assert(pipe(ends) == 0 && write(ends[1], "hello", 5) == 5);
	t = start(receive, NULL);
	buffer[5] = '!';
	finish(t);
	assert(memcmp(buffer, "hello!", 6) == 0);
	return 0;
}
