/*
 * Vector clocks against plain arrays: random operations on clocks of few and of thousands of threads, after
 * each of which every entry is compared.
 */
#include "analysis/vclock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/rng.h"

#define CLOCKS	6
#define THREADS (HD_VC_DENSE + 5 * HD_VC_PIECE)

static struct hd_vclock clocks[CLOCKS];
static uint32_t plain[CLOCKS][THREADS];

static bool plain_leq(const uint32_t *a, const uint32_t *b)
{
	for (uint32_t i = 0; i < THREADS; i++) {
		if (a[i] > b[i])
			return false;
	}
	return true;
}

static void compare(void)
{
	for (unsigned c = 0; c < CLOCKS; c++) {
		for (uint32_t i = 0; i < THREADS; i++)
			assert_int_equal(hd_vc_get(&clocks[c], i), plain[c][i]);
		assert_int_equal(hd_vc_get(&clocks[c], 1000000), 0);
		for (unsigned d = 0; d < CLOCKS; d++)
			assert_int_equal(hd_vc_leq(&clocks[c], &clocks[d]),
					 plain_leq(plain[c], plain[d]));
	}
}

static void one_step(struct hd_rng *rng, uint32_t threads)
{
	unsigned a = (unsigned)hd_rng_below(rng, CLOCKS), b = (unsigned)hd_rng_below(rng, CLOCKS);
	uint32_t t = (uint32_t)hd_rng_below(rng, threads);
	uint32_t time = (uint32_t)hd_rng_below(rng, 50);

	switch (hd_rng_below(rng, 8)) {
	case 0:
		assert_true(hd_vc_copy(&clocks[a], &clocks[b]));
		memcpy(plain[a], plain[b], sizeof(plain[a]));
		break;
	case 1:
	case 2:
		assert_true(hd_vc_join(&clocks[a], &clocks[b]));
		for (uint32_t i = 0; i < THREADS; i++)
			plain[a][i] = plain[b][i] > plain[a][i] ? plain[b][i] : plain[a][i];
		break;
	case 3:
		if (time)
			hd_vc_clear(&clocks[a]);
		else
			hd_vc_free(&clocks[a]);
		memset(plain[a], 0, sizeof(plain[a]));
		assert_true(hd_vc_is_zero(&clocks[a]));
		break;
	default:
		assert_true(hd_vc_set(&clocks[a], t, time));
		plain[a][t] = time;
		break;
	}
}

static void test_random(void **state)
{
	static const uint32_t threads[] = { 5, HD_VC_DENSE + 3, THREADS };
	struct hd_rng rng;

	hd_rng_seed(&rng, 24);
	for (unsigned round = 0; round < 12; round++) {
		for (unsigned step = 0; step < 60; step++) {
			one_step(&rng, threads[round % 3]);
			compare();
		}
	}
	for (unsigned c = 0; c < CLOCKS; c++)
		hd_vc_free(&clocks[c]);
}

/* A clock whose only entry is far away has something in it. */
static void test_far_only(void **state)
{
	struct hd_vclock v = { 0 };

	assert_true(hd_vc_is_zero(&v));
	assert_true(hd_vc_set(&v, HD_VC_DENSE, 7));
	assert_false(hd_vc_is_zero(&v));
	assert_int_equal(hd_vc_get(&v, HD_VC_DENSE), 7);
	assert_int_equal(hd_vc_get(&v, HD_VC_DENSE - 1), 0);
	hd_vc_free(&v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_far_only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
