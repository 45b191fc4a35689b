/*
 * Maps against arrays that are searched from end to end.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "common/map.h"
#include "common/rng.h"

#define KEYS 300

static void test_numbers(void **state)
{
	uint64_t keys[KEYS] = { 0 }, values[KEYS] = { 0 };
	struct hd_map m = { 0 };
	struct hd_rng rng;

	hd_rng_seed(&rng, 1);
	assert_int_equal(hd_map_get(&m, 0), 0);
	for (unsigned i = 0; i < KEYS; i++) /* those that differ in upper bits only, and 0 */
		keys[i] = (uint64_t)i << (i % 2 ? 48 : 0);
	for (unsigned step = 0; step < 5000; step++) {
		unsigned k = (unsigned)hd_rng_below(&rng, KEYS);

		if (step % 3 == 0) {
			values[k] = step + 1;
			assert_true(hd_map_set(&m, keys[k], values[k]));
		}
		assert_int_equal(hd_map_get(&m, keys[k]), values[k]);
	}
	for (unsigned i = 0; i < KEYS; i++)
		assert_int_equal(hd_map_get(&m, keys[i]), values[i]);
	hd_map_free(&m);
	assert_int_equal(hd_map_get(&m, 1), 0);
}

static void test_texts(void **state)
{
	struct hd_texts t = { 0 };
	char text[32];

	assert_int_equal(hd_texts_find(&t, "a", 1), 0);
	for (uint32_t i = 0; i < 500; i++) {
		int len = snprintf(text, sizeof(text), "text %u", i / 2);

		assert_int_equal(hd_texts_add(&t, text, (size_t)len), i / 2 + 1);
	}
	for (uint32_t i = 0; i < 250; i++) {
		int len = snprintf(text, sizeof(text), "text %u", i);

		assert_string_equal(hd_texts_get(&t, i + 1), text);
		assert_int_equal(hd_texts_find(&t, text, (size_t)len), i + 1);
	}
	assert_int_equal(hd_texts_find(&t, "text 12345", 7), 13); /* so many bytes of it */
	assert_int_equal(hd_texts_find(&t, "text", 4), 0);
	hd_texts_free(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_numbers),
					    cmocka_unit_test(test_texts) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
