/*
 * Arrays grow and keep what they have, and no number of items wraps around.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "common/array.h"

static void test_grows_and_keeps(void **state)
{
	uint64_t *list = NULL;
	size_t room = 0, n = 0, times = 0;

	while (n < 10000) {
		uint64_t *was = list;
		size_t before = room;

		assert_true(HD_ROOM(list, room, n + 1));
		assert_true(room > n);
		times += room != before;
		if (room == before)
			assert_ptr_equal(list, was);
		list[n] = n * n;
		n++;
	}
	for (size_t i = 0; i < n; i++)
		assert_int_equal(list[i], i * i);
	assert_true(times < 12); /* it doubles */
	free(list);
}

static void test_many_at_once(void **state)
{
	char *text = NULL;
	uint32_t room = 0;
	volatile size_t none = 0; /* the compiler is not to know */

	assert_true(HD_ROOM(text, room, none)); /* nothing is needed: nothing is done */
	assert_null(text);
	assert_true(HD_ROOM(text, room, 1000));
	assert_true(room >= 1000 && room < 2048);
	free(text);
}

static void test_new_items_are_zero(void **state)
{
	uint32_t *list = NULL;
	unsigned room = 0, filled = 0;

	for (unsigned need = 1; need < 5000; need += 1 + need / 3) {
		assert_true(HD_ROOM_ZEROED(list, room, need));
		for (unsigned i = 0; i < room; i++)
			assert_int_equal(list[i], i < filled ? 7 : 0);
		for (filled = 0; filled < need; filled++)
			list[filled] = 7;
	}
	free(list);
}

/* What cannot be is refused, and what there is stays. */
static void test_too_many(void **state)
{
	uint64_t *list = NULL, *was;
	uint8_t *bytes = NULL;
	size_t room = 0;
	uint8_t small = 0;
	volatile size_t many = 256, all = SIZE_MAX; /* the compiler is not to know */

	assert_true(HD_ROOM(list, room, 3));
	list[2] = 42;
	was = list;
	assert_false(HD_ROOM(list, room, all));
	assert_false(HD_ROOM(list, room, all / 8 + 1)); /* bytes wrap around to few */
	assert_false(HD_ROOM(list, room, all / 8 + 2));
	assert_false(HD_ROOM_ZEROED(list, room, all / 16 + 1));
	assert_ptr_equal(list, was);
	assert_int_equal(room, HD_ARRAY_FIRST);
	assert_int_equal(list[2], 42);
	free(list);

	/* The number that keeps the room does not wrap around either. */
	assert_true(HD_ROOM(bytes, small, 200));
	assert_int_equal(small, 255);
	assert_true(HD_ROOM(bytes, small, many - 1));
	assert_false(HD_ROOM(bytes, small, many));
	assert_int_equal(small, 255);
	free(bytes);
}

static void test_sizes(void **state)
{
	const size_t most = PTRDIFF_MAX / 8;

	assert_int_equal(hd_array_more(0, 1, 8, SIZE_MAX), HD_ARRAY_FIRST);
	assert_int_equal(hd_array_more(0, 1, 256, SIZE_MAX), 16);
	assert_int_equal(hd_array_more(0, 1, 1000, SIZE_MAX), 4); /* 4 KiB at first, */
	assert_int_equal(hd_array_more(0, 1, 5000, SIZE_MAX), 1); /* or one item */
	assert_int_equal(hd_array_more(0, 3, 5000, SIZE_MAX), 4);
	assert_int_equal(hd_array_more(16, 17, 8, SIZE_MAX), 32);
	assert_int_equal(hd_array_more(16, 100, 8, SIZE_MAX), 128);
	assert_int_equal(hd_array_more(3, 4, 8, SIZE_MAX), 6);
	assert_int_equal(hd_array_more(0, 1, 1, 5), 5);
	assert_int_equal(hd_array_more(0, 6, 1, 5), 0);
	/* The last doubling would be too much: all that can be. */
	assert_int_equal(hd_array_more(most / 2 + 1, most / 2 + 2, 8, SIZE_MAX), most);
	assert_int_equal(hd_array_more(most / 2, most, 8, SIZE_MAX), most);
	assert_int_equal(hd_array_more(most, most + 1, 8, SIZE_MAX), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_grows_and_keeps),
		cmocka_unit_test(test_many_at_once),
		cmocka_unit_test(test_new_items_are_zero),
		cmocka_unit_test(test_too_many),
		cmocka_unit_test(test_sizes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
