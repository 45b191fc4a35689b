/*
 * What call_once made is there for everyone who called it.
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

static once_flag once = ONCE_FLAG_INIT;
static int table;

static void fill(void)
{
	table = 42;
}

static int use(void *arg)
{
	call_once(&once, fill);
	return table;
}

int main(void)
{
	int seen;
	thrd_t t;

	thrd_create(&t, use, NULL);
	assert(use(NULL) == 42);
	thrd_join(t, &seen);
	assert(seen == 42);
	return 0;
}
