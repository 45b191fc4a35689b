#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "common/rng.h"

/* The published first outputs of splitmix64 from seed 0 and of xoshiro256** from 1, 2, 3, 4. */
static void reference_values(void **state)
{
	struct hd_rng r = { { 1, 2, 3, 4 } };
	uint64_t x = 0;

	assert_true(hd_splitmix64(&x) == 0xe220a8397b1dcdafull);
	assert_true(hd_splitmix64(&x) == 0x6e789e6aa1b965f4ull);
	assert_true(hd_rng_next(&r) == 11520);
	assert_true(hd_rng_next(&r) == 0);
	assert_true(hd_rng_next(&r) == 1509978240);
}

static void same_seed_same_numbers(void **state)
{
	struct hd_rng a, b, c;
	bool differs = false;

	hd_rng_seed(&a, 7);
	hd_rng_seed(&b, 7);
	hd_rng_seed(&c, 8);
	for (int i = 0; i < 100; i++) {
		uint64_t v = hd_rng_next(&a);

		assert_true(v == hd_rng_next(&b));
		differs |= v != hd_rng_next(&c);
	}
	assert_true(differs);
}

/* Always below, every value met, and each about as often: 6000 draws of 6 are 1000 each
 * with a standard deviation of 29. */
static void below(void **state)
{
	unsigned seen[6] = { 0 };
	struct hd_rng r;

	hd_rng_seed(&r, 1);
	for (int i = 0; i < 6000; i++) {
		uint64_t v = hd_rng_below(&r, 6);

		assert_true(v < 6);
		seen[v]++;
		assert_true(hd_rng_below(&r, 1) == 0);
	}
	for (int i = 0; i < 6; i++)
		assert_in_range(seen[i], 850, 1150);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(reference_values),
					    cmocka_unit_test(same_seed_same_numbers),
					    cmocka_unit_test(below) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
