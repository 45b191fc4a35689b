/*
 * After the barrier each thread reads its neighbour's cell and writes its own: a round is
 * missing.
 *
 * RUN: run --seed 1..5
 * EXPECT: race 'cells[ @step
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
	return 0;
}
