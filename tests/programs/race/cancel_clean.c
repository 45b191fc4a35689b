/*
 * What a cancelled thread did, and its clean-up, is there after the join.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 * RUN: run --policy pct --pct-length 100 --seed 1..20
 * EXPECT: clean
 * RUN: run --switch-at accesses --seed 1..20
 * EXPECT: clean
 */
#include "../program.h"

static int state;

static void clean_up(void *arg)
{
	state += 10;
}

static void *work(void *arg)
{
	pthread_cleanup_push(clean_up, NULL);
	for (state = 1;; state = 2)
		sleep(1);
	pthread_cleanup_pop(0);
	return NULL;
}

int main(void)
{
	pthread_t t = start(work, NULL);

	pthread_cancel(t);
	assert(finish(t) == PTHREAD_CANCELED);
	assert(state == 11 || state == 12);
	return 0;
}
