/*
 * Two rounds of a barrier part writing, reading and writing again.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 * RUN: run --policy pct --pct-length 100 --seed 1..20
 * EXPECT: clean
 * RUN: run --switch-at accesses --seed 1..20
 * EXPECT: clean
 */
#include "../program.h"

static pthread_barrier_t barrier;
static int cells[2];

static void *step(void *arg)
{
	int me = (int)(intptr_t)arg, seen;

	cells[me] = 1;
	pthread_barrier_wait(&barrier);
	seen = cells[1 - me];
	pthread_barrier_wait(&barrier);
	cells[me] = seen + 1;
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_barrier_init(&barrier, NULL, 2);
	a = start(step, (void *)0);
	b = start(step, (void *)1);
	finish(a);
	finish(b);
	assert(cells[0] == 2 && cells[1] == 2);
	return 0;
}
