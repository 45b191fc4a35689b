/*
 * What is done with a value that was read, from the accesses that follow.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "findings/value_use.h"

#define AT 100u /* the place that reads */

struct step {
	uint32_t thread;
	uint8_t op;
	uint64_t pc, addr, value;
};

static void check_uses(const struct step *steps, size_t n, unsigned expected)
{
	struct hd_value_uses u = { 0 };

	assert_true(hd_value_uses_want(&u, AT));
	for (size_t i = 0; i < n; i++) {
		const struct hd_event ev = { .thread = steps[i].thread,
					     .op = steps[i].op,
					     .pc = steps[i].pc,
					     .addr = steps[i].addr,
					     .size = 8,
					     .value = steps[i].value };

		assert_true(hd_value_uses_feed(&u, &ev));
	}
	assert_int_equal(hd_value_uses_of(&u, AT), expected);
	hd_value_uses_free(&u);
}

#define CHECK(steps, expected) check_uses(steps, sizeof(steps) / sizeof(steps[0]), expected)

static void a_pointer_is_followed_or_freed(void **state)
{
	const struct step followed[] = { { 1, HD_OP_READ, AT, 0x5000, 0x90000 },
					 { 1, HD_OP_WRITE, 101, 0x90010, 1 } };
	const struct step freed[] = { { 1, HD_OP_READ, AT, 0x5000, 0x90000 },
				      { 1, HD_OP_FREE, 101, 0x90000, 16 } };
	/* Somebody else is there, or it is before the block. */
	const struct step others[] = { { 1, HD_OP_READ, AT, 0x5000, 0x90000 },
				       { 2, HD_OP_WRITE, 101, 0x90010, 1 },
				       { 1, HD_OP_WRITE, 102, 0x8fff8, 1 } };

	CHECK(followed, HD_USE_POINTER);
	CHECK(freed, HD_USE_FREED);
	CHECK(others, 0);
}

static void an_index_moves_the_next_access(void **state)
{
	const struct step up[] = { { 1, HD_OP_READ, AT, 0x5000, 3 },
				   { 1, HD_OP_READ, 101, 0x7018, 0 },
				   { 1, HD_OP_READ, AT, 0x5000, 5 },
				   { 1, HD_OP_READ, 101, 0x7028, 0 } };
	const struct step down[] = { { 1, HD_OP_READ, AT, 0x5000, 5 },
				     { 1, HD_OP_READ, 101, 0x7028, 0 },
				     { 1, HD_OP_READ, AT, 0x5000, 4 },
				     { 1, HD_OP_READ, 101, 0x7020, 0 } };
	/* The place after it moves the other way. */
	const struct step unrelated[] = { { 1, HD_OP_READ, AT, 0x5000, 3 },
					  { 1, HD_OP_READ, 101, 0x7028, 0 },
					  { 1, HD_OP_READ, AT, 0x5000, 5 },
					  { 1, HD_OP_READ, 101, 0x7018, 0 } };

	CHECK(up, HD_USE_INDEX);
	CHECK(down, HD_USE_INDEX);
	CHECK(unrelated, 0);
}

static void a_branch_goes_elsewhere_after_another_value(void **state)
{
	const struct step branch[] = { { 1, HD_OP_READ, AT, 0x5000, 0 },
				       { 1, HD_OP_READ, 101, 0x7000, 0 },
				       { 1, HD_OP_READ, AT, 0x5000, 1 },
				       { 1, HD_OP_READ, 102, 0x7000, 0 } };
	/* It goes elsewhere after the same value as well. */
	const struct step any[] = {
		{ 1, HD_OP_READ, AT, 0x5000, 0 }, { 1, HD_OP_READ, 101, 0x7000, 0 },
		{ 1, HD_OP_READ, AT, 0x5000, 0 }, { 1, HD_OP_READ, 102, 0x7000, 0 },
		{ 1, HD_OP_READ, AT, 0x5000, 1 }, { 1, HD_OP_READ, 101, 0x7000, 0 }
	};

	CHECK(branch, HD_USE_BRANCH);
	CHECK(any, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_pointer_is_followed_or_freed),
		cmocka_unit_test(an_index_moves_the_next_access),
		cmocka_unit_test(a_branch_goes_elsewhere_after_another_value),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
