/*
 * A ticket lock: threads wait their turn by reading alone.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 * RUN: run --policy pct --pct-length 100 --seed 1..20
 * EXPECT: clean
 * RUN: run --policy rr
 * EXPECT: clean
 */
#include "../program.h"
#include <stdatomic.h>

static atomic_uint next, serving;
static int total;

static void *add(void *arg)
{
	for (int i = 0; i < 10; i++) {
		unsigned mine = atomic_fetch_add(&next, 1);

		while (atomic_load(&serving) != mine)
			;
		total++;
		atomic_fetch_add(&serving, 1);
	}
	return NULL;
}

int main(void)
{
	pthread_t t[4];

	for (int i = 0; i < 4; i++)
		t[i] = start(add, NULL);
	for (int i = 0; i < 4; i++)
		finish(t[i]);
	assert(total == 40);
	return 0;
}
