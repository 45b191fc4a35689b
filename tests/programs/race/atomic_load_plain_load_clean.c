/*
 * Plain and atomic reads of one object, and atomic writes once the plain readers are gone.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 * RUN: run --policy pct --pct-length 100 --seed 1..20
 * EXPECT: clean
 * RUN: run --switch-at accesses --seed 1..20
 * EXPECT: clean
 */
#include "../program.h"

static int limit = 3;

static void *plain_load(void *arg)
{
	assert(limit == 3);
	return NULL;
}

static void *atomic_load(void *arg)
{
	assert(__atomic_load_n(&limit, __ATOMIC_RELAXED) == 3);
	return NULL;
}

int main(void)
{
	pthread_t a = start(plain_load, NULL), b = start(atomic_load, NULL);

	finish(a);
	finish(b);
	__atomic_fetch_add(&limit, 1, __ATOMIC_RELAXED);
	return limit - 4;
}
