/*
 * A map of numbers agrees with a plain array, whatever is set, changed and taken out.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "common/rng.h"
#include "common/map.h"

#define KEYS 96

static void compare(const struct hd_map *m, const uint64_t *plain, uint64_t step)
{
	size_t count = 0;

	for (uint64_t k = 0; k < KEYS; k++) {
		assert_int_equal(hd_map_get(m, k * step), plain[k]);
		count += plain[k] != 0;
	}
	assert_int_equal(m->count, count);
}

/* Keys that are neighbours, pages apart, and that differ in their upper half only. */
static void test_like_an_array(void **state)
{
	static const uint64_t steps[] = { 1, 4096, 0x100000000 };
	struct hd_rng rng;

	hd_rng_seed(&rng, 1);
	for (size_t i = 0; i < 30; i++) {
		uint64_t plain[KEYS] = { 0 }, step = steps[i % 3];
		struct hd_map m = { 0 };

		for (int n = 0; n < 2000; n++) {
			uint64_t k = hd_rng_below(&rng, KEYS), value = hd_rng_below(&rng, 3);

			plain[k] = value;
			assert_true(hd_map_set(&m, k * step, value));
			compare(&m, plain, step);
		}
		assert_true(m.slots <= 256); /* entries that are out take no room */
		hd_map_free(&m);
	}
}

static void test_nothing_in_it(void **state)
{
	struct hd_map m = { 0 };

	assert_true(hd_map_set(&m, 5, 0));
	assert_int_equal(hd_map_get(&m, 5), 0);
	assert_null(m.entries);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_like_an_array),
		cmocka_unit_test(test_nothing_in_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
