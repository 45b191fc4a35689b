/*
 * A load, and then an atomic update: whatever came in between is added to, not lost.
 *
 * RUN: run --analyze --seed 1..2
 * EXPECT: clean
 */
#include <heddle/hj.h>
#include <stdatomic.h>

static atomic_int shared;

static void add(void *arg)
{
	int seen = atomic_load_explicit(&shared, memory_order_relaxed);

	atomic_fetch_add_explicit(&shared, seen > 5 ? 2 : 1, memory_order_relaxed);
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
