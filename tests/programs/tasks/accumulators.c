/*
 * The end of a finish has made of an accumulator what all tasks in it put, in any order.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 * RUN: run --policy pct --seed 1..10
 * EXPECT: clean
 * RUN: run --policy rr
 * EXPECT: clean
 * RUN: run --switch-at accesses --seed 1..5
 * EXPECT: clean
 */
#include "../program.h"

#include <heddle/hj.h>

static hj_accum_t *sum, *least, *most, *product, *bits;

static long or_of(long a, long b)
{
	return a | b;
}

static void put(void *arg)
{
	long n = (long)arg;

	hj_accum_put(sum, n);
	hj_accum_put(least, n);
	hj_accum_put(most, n);
	hj_accum_put_double(product, (double)n);
	hj_accum_put(bits, 1L << n);
	if (n < 4)
		hj_async(put, (void *)(n + 4));
}

static void root(void *arg)
{
	HJ_FINISH {
		sum = hj_accum_new(HJ_SUM);
		least = hj_accum_new(HJ_MIN);
		most = hj_accum_new(HJ_MAX);
		product = hj_accum_new_double(HJ_PROD);
		bits = hj_accum_new_fn(or_of, 0);
		for (long i = 1; i <= 3; i++)
			hj_async(put, (void *)i);
		HJ_FINISH
			hj_async(put, (void *)8L);
		assert(hj_accum_get(sum) == 0);
	}
	assert(hj_accum_get(sum) == 1 + 2 + 3 + 5 + 6 + 7 + 8);
	assert(hj_accum_get(least) == 1 && hj_accum_get(most) == 8);
	assert(hj_accum_get_double(product) == 1.0 * 2 * 3 * 5 * 6 * 7 * 8);
	assert(hj_accum_get(bits) == (2 | 4 | 8 | 32 | 64 | 128 | 256));
	hj_accum_free(sum);
}

int main(void)
{
	hj_launch(root, NULL);
	return 0;
}
