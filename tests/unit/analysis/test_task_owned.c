/*
 * What is allocated in a region is a thread's own until it is freed or the region is over, whatever
 * is allocated and freed around it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "analysis/tasks/task_owned.h"
#include "common/rng.h"

#define HEAP  0x7fffe8000000u
#define PIECE 256u /* bytes from one block to the next: few enough that words of bits get empty */
#define SLOTS 256u

static void compare(const struct hd_owned *o, const uint64_t *length)
{
	for (uint64_t i = 0; i < SLOTS; i++) {
		assert_int_equal(hd_owned_has(o, HEAP + i * PIECE), length[i] != 0);
		if (length[i])
			assert_true(hd_owned_has(o, HEAP + i * PIECE + length[i] - 1));
	}
}

static void test_blocks_come_and_go(void **state)
{
	struct hd_owned o = { .wanted = true };
	uint64_t length[SLOTS] = { 0 };
	struct hd_rng rng;

	hd_rng_seed(&rng, 1);
	assert_true(hd_owned_range(&o, 0x1000, 0x1000, true));
	for (int n = 0; n < 20000; n++) {
		uint64_t i = hd_rng_below(&rng, SLOTS), addr = HEAP + i * PIECE;

		if (length[i]) {
			hd_owned_free_block(&o, addr, length[i]);
			length[i] = 0;
		} else if (hd_rng_below(&rng, 4) == 0) {
			length[i] = 1 + hd_rng_below(&rng, PIECE);
			assert_true(hd_owned_alloc(&o, addr, length[i]));
		}
		if (n % 16 == 0)
			compare(&o, length);
	}
	assert_true(hd_owned_has(&o, 0x1fff));
	assert_false(hd_owned_has(&o, 0x2000));
	hd_owned_free(&o);
}

static void test_region_over(void **state)
{
	struct hd_owned o = { .wanted = true };

	assert_true(hd_owned_alloc(&o, HEAP, 16));
	assert_false(hd_owned_has(&o, HEAP)); /* outside of regions nothing is a thread's own */
	assert_true(hd_owned_range(&o, 0x1000, 0x1000, true));
	assert_true(hd_owned_range(&o, 0x4000, 0x1000, true));
	assert_true(hd_owned_alloc(&o, HEAP, 4096));
	assert_true(hd_owned_range(&o, 0x1000, 0x1000, false));
	assert_false(hd_owned_has(&o, 0x1000));
	assert_true(hd_owned_has(&o, HEAP + 4095));
	assert_false(hd_owned_has(&o, HEAP + 4096));
	assert_true(hd_owned_range(&o, 0x4000, 0x1000, false));
	assert_false(hd_owned_has(&o, HEAP));
	hd_owned_free(&o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_blocks_come_and_go),
		cmocka_unit_test(test_region_over),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
