/*
 * Accesses before create and after join are ordered, also across grandchildren.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 * RUN: run --policy pct --pct-length 100 --seed 1..20
 * EXPECT: clean
 * RUN: run --switch-at accesses --seed 1..20
 * EXPECT: clean
 */
#include "../program.h"

static int x;

static void *grandchild(void *arg)
{
	x++;
	return NULL;
}

static void *child(void *arg)
{
	x++;
	finish(start(grandchild, NULL));
	x++;
	return NULL;
}

int main(void)
{
	x = 1;
	finish(start(child, NULL));
	x++;
	finish(start(child, NULL));
	assert(x == 8);
	return 0;
}
