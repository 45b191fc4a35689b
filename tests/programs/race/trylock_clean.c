/*
 * A trylock that succeeds orders as a lock does.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 * RUN: run --policy pct --pct-length 100 --seed 1..20
 * EXPECT: clean
 * RUN: run --switch-at accesses --seed 1..20
 * EXPECT: clean
 */
#include "../program.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int total;

static void *work(void *arg)
{
	while (pthread_mutex_trylock(&lock) != 0)
		sched_yield();
	total++;
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t a = start(work, NULL), b = start(work, NULL);

	finish(a);
	finish(b);
	assert(total == 2);
	return 0;
}
