/*
 * A value is loaded and what follows from it stored, both atomically: another task's update in
 * between is lost.
 *
 * RUN: run --analyze --seed 1..2
 * EXPECT: atomicity on 'shared' (RWW)
 */
#include <heddle/hj.h>
#include <stdatomic.h>

static atomic_int shared;

static void add(void *arg)
{
	int seen = atomic_load_explicit(&shared, memory_order_relaxed);

	atomic_store_explicit(&shared, seen + 1, memory_order_relaxed);
}

static void root(void *arg)
{
	HJ_FINISH {
		hj_async(add, NULL);
		hj_async(add, NULL);
	}
}

int main(void)
{
	hj_launch(root, NULL);
	return 0;
}
