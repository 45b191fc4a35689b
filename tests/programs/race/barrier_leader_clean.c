/*
 * The leader of each round writes; everyone reads after the next round.
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
static int total;

static void *step(void *arg)
{
	for (int i = 1; i <= 3; i++) {
		if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
			total++;
		pthread_barrier_wait(&barrier);
		assert(total == i);
	}
	return NULL;
}

int main(void)
{
	pthread_t t[3];

	pthread_barrier_init(&barrier, NULL, 3);
	for (int i = 0; i < 3; i++)
		t[i] = start(step, NULL);
	for (int i = 0; i < 3; i++)
		finish(t[i]);
	return total - 3;
}
