/*
 * Data handed over with an _Atomic pointer that is simply assigned and read.
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
#include <stdatomic.h>
#include <threads.h>

static int *_Atomic box;
static int value;

static int produce(void *arg)
{
	value = 43;
	box = &value;
	return 0;
}

int main(void)
{
	thrd_t t;

	thrd_create(&t, produce, NULL);
	while (!box)
		;
	assert(*box == 43);
	thrd_join(t, NULL);
	return 0;
}
