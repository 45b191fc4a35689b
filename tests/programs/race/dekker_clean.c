/*
 * Each announces itself and enters if the other has not: sequential consistency excludes and
 * orders.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 * RUN: run --policy pct --pct-length 100 --seed 1..20
 * EXPECT: clean
 * RUN: run --switch-at accesses --seed 1..20
 * EXPECT: clean
 */
#include "../program.h"
#include <stdatomic.h>

static atomic_int wants[2];
static int total;

static void *enter(void *arg)
{
	int me = (int)(intptr_t)arg;

	for (int i = 0; i < 3; i++) {
		atomic_store(&wants[me], 1);
		if (!atomic_load(&wants[1 - me]))
			total++;
		atomic_store(&wants[me], 0);
	}
	return NULL;
}

int main(void)
{
	pthread_t a = start(enter, (void *)0), b = start(enter, (void *)1);

	finish(a);
	finish(b);
	return total > 6;
}
