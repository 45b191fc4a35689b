#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "symbols/sym_pool.h"

static void equal_strings_are_one(void **state)
{
	struct hd_sym_pool p = { 0 };
	const char *a = hd_sym_string(&p, "balance");

	assert_string_equal(a, "balance");
	assert_ptr_equal(hd_sym_string_n(&p, "balances", 7), a);
	assert_ptr_not_equal(hd_sym_string(&p, "balances"), a);
	assert_string_equal(hd_sym_string(&p, ""), "");
	assert_null(hd_sym_string(&p, NULL));
	hd_sym_pool_free(&p);
}

static void strings_survive_growth(void **state)
{
	enum { N = 20000 };
	struct hd_sym_pool p = { 0 };
	const char **kept = calloc(N, sizeof(*kept));
	char buf[32];

	assert_non_null(kept);
	for (int i = 0; i < N; i++) {
		snprintf(buf, sizeof(buf), "name%d", i);
		kept[i] = hd_sym_string(&p, buf);
	}
	for (int i = 0; i < N; i++) {
		snprintf(buf, sizeof(buf), "name%d", i);
		assert_string_equal(kept[i], buf);
		assert_ptr_equal(hd_sym_string(&p, buf), kept[i]);
	}
	free(kept);
	hd_sym_pool_free(&p);
}

static void a_string_longer_than_a_chunk(void **state)
{
	enum { LEN = 200000 };
	struct hd_sym_pool p = { 0 };
	char *s = malloc(LEN + 1);

	assert_non_null(s);
	memset(s, 'x', LEN);
	s[LEN] = '\0';
	assert_string_equal(hd_sym_string(&p, s), s);
	assert_string_equal(hd_sym_string(&p, "short"), "short");
	free(s);
	hd_sym_pool_free(&p);
}

static void joined_names(void **state)
{
	struct hd_sym_pool p = { 0 };

	assert_string_equal(hd_sym_join(&p, "bank", "total"), "bank::total");
	assert_string_equal(hd_sym_join(&p, "", "total"), "total");
	assert_string_equal(hd_sym_join(&p, NULL, "total"), "total");
	hd_sym_pool_free(&p);
}

static void memory_is_aligned_and_zero(void **state)
{
	struct hd_sym_pool p = { 0 };

	for (size_t size = 1; size < 300; size++) {
		char *at = hd_sym_alloc(&p, size);

		assert_int_equal((uintptr_t)at % 16, 0);
		for (size_t i = 0; i < size; i++)
			assert_int_equal(at[i], 0);
		memset(at, 0xff, size);
		hd_sym_string_n(&p, "odd length", size % 10);
	}
	hd_sym_pool_free(&p);
}

static void answers_are_found_again(void **state)
{
	static int value[3];
	struct hd_sym_cache c = { 0 };

	assert_null(hd_sym_cache_get(&c, 1, 2));
	for (uint64_t i = 0; i < 50000; i++)
		hd_sym_cache_put(&c, i * 8, i % 5, &value[i % 3]);
	for (uint64_t i = 0; i < 50000; i++)
		assert_ptr_equal(hd_sym_cache_get(&c, i * 8, i % 5), &value[i % 3]);
	assert_null(hd_sym_cache_get(&c, 8, 0)); /* was put with 1 */
	hd_sym_cache_put(&c, 8, 1, &value[0]);
	assert_ptr_equal(hd_sym_cache_get(&c, 8, 1), &value[0]);
	hd_sym_cache_clear(&c);
	assert_null(hd_sym_cache_get(&c, 8, 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_strings_are_one),
		cmocka_unit_test(strings_survive_growth),
		cmocka_unit_test(a_string_longer_than_a_chunk),
		cmocka_unit_test(joined_names),
		cmocka_unit_test(memory_is_aligned_and_zero),
		cmocka_unit_test(answers_are_found_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
