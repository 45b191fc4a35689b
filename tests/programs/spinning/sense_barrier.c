/*
 * A sense-reversing barrier of atomics, whose waiters yield.
 *
 * RUN: run --seed 1..10
 * EXPECT: clean
 * RUN: run --policy pct --seed 1..10
 * EXPECT: clean
 * RUN: run --policy rr
 * EXPECT: clean
 * RUN: run --switch-at accesses --seed 1..5
 * EXPECT: clean
 */
#include "../program.h"
#include <sched.h>
#include <stdatomic.h>

#define THREADS 3

static atomic_int arrived, sense;
static int cells[THREADS];

static void pass(int *mine)
{
	*mine = !*mine;
	if (atomic_fetch_add(&arrived, 1) == THREADS - 1) {
		atomic_store(&arrived, 0);
		atomic_store(&sense, *mine);
	}
	while (atomic_load(&sense) != *mine)
		sched_yield();
}

static void *take_part(void *arg)
{
	int me = (int)(intptr_t)arg, mine = 0;

	for (int round = 0; round < 3; round++) {
		cells[me] = round;
		pass(&mine);
		for (int i = 0; i < THREADS; i++)
			assert(cells[i] == round);
		pass(&mine);
	}
	return NULL;
}

int main(void)
{
	pthread_t t[THREADS];

	for (intptr_t i = 0; i < THREADS; i++)
		t[i] = start(take_part, (void *)i);
	for (int i = 0; i < THREADS; i++)
		finish(t[i]);
	return 0;
}
