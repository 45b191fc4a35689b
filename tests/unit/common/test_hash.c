/*
 * Hash functions are what they were: their values are in files, in the names of findings and in
 * what processes compare. The numbers here were computed apart; those of FNV-1a are published.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "common/hash.h"

#define SAME(a, b) assert_true((a) == (b))

static void test_numbers(void **state)
{
	SAME(hd_hash_number(0), 0);
	SAME(hd_hash_number(1), 0x9e3779b97f4a7c15);
	SAME(hd_hash_number(0x123456789abcdef0), 0xc93a7b79aeda89b0);
	SAME(hd_hash_all(0x123456789abcdef0), 0x2b5ffe072ab02812);
	SAME(hd_hash_pair(1, 0xff), 0x9e3779b97f4a7c15 ^ 0xff);
	SAME(hd_hash_triple(7, 9, 11), 0xdeba876e00c9b037);
	SAME(hd_hash_next(0x1234, 0x77), 0x4f13e67f8d37f37f);
	SAME(hd_hash_call(5, 0x401136), 0x7c4589f20b69c5ee);
}

static void test_places(void **state)
{
	SAME(hd_hash_bits(1, 64), 0x9e3779b97f4a7c15);
	SAME(hd_hash_bits(1, 8), 0x9e);
	SAME(hd_hash_bits(1, 1), 1);
	SAME(hd_hash_place(1, 0xff), 0xb9);
	SAME(hd_hash_place(1, UINT32_MAX), 0x9e3779b9);
	for (uint64_t key = 0; key < 1000; key++)
		assert_true(hd_hash_place(key, 63) < 64 && hd_hash_bits(key, 6) < 64);
}

/* Addresses of neighbours do not share places. */
static void test_spread(void **state)
{
	unsigned used[64] = { 0 };

	for (uint64_t i = 0; i < 640; i++)
		used[hd_hash_place(0x7f0000000000 + 64 * i, 63)]++;
	for (unsigned i = 0; i < 64; i++)
		assert_in_range(used[i], 1, 30);
}

static void test_fnv(void **state)
{
	const char abc[] = { 'f', 'o', 'o', 'b', 'a', 'r' };

	SAME(hd_fnv_text(HD_FNV_START, ""), HD_FNV_START);
	SAME(hd_fnv_text(HD_FNV_START, "a"), 0xaf63dc4c8601ec8c);
	SAME(hd_fnv_text(HD_FNV_START, "foobar"), 0x85944171f73967e8);
	SAME(hd_fnv_bytes(HD_FNV_START, abc, sizeof(abc)), 0x85944171f73967e8);
	SAME(hd_fnv_text(hd_fnv_text(HD_FNV_START, "foo"), "bar"), 0x85944171f73967e8);
	/* Bytes above 127 are not negative. */
	SAME(hd_fnv_text(HD_FNV_START, "\xff"), hd_fnv(HD_FNV_START, 255));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_spread),
		cmocka_unit_test(test_fnv),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
