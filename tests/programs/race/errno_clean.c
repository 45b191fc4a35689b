/*
 * Every thread has its errno.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 * RUN: run --policy pct --pct-length 100 --seed 1..20
 * EXPECT: clean
 * RUN: run --switch-at accesses --seed 1..20
 * EXPECT: clean
 */
#include "../program.h"

static void *fail(void *arg)
{
	for (int i = 0; i < 3; i++) {
		errno = 0;
		sched_yield();
		assert(close(-1) == -1 && errno == EBADF);
	}
	return NULL;
}

int main(void)
{
	pthread_t a = start(fail, NULL), b = start(fail, NULL);

	finish(a);
	finish(b);
	return 0;
}
