/*
 * The destructors of two C11 threads free what is theirs.
 *
 * CC: gnu11
 * RUN: run --seed 1..20
 * EXPECT: clean
 * RUN: run --policy pct --pct-length 100 --seed 1..20
 * EXPECT: clean
 * RUN: run --switch-at accesses --seed 1..20
 * EXPECT: clean
 */
#include "../program.h"
#include <threads.h>

static tss_t key;

static int work(void *arg)
{
	int *mine = malloc(sizeof(*mine));

	*mine = 1;
	return tss_set(key, mine) != thrd_success;
}

int main(void)
{
	thrd_t a, b;

	tss_create(&key, free);
	thrd_create(&a, work, NULL);
	thrd_create(&b, work, NULL);
	thrd_join(a, NULL);
	thrd_join(b, NULL);
	return 0;
}
