/* What a step did to groups: loops do not make its story long. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "analysis/locks/lock_word.h"
#include "analysis/tasks/task_groups.h"

enum { A = 4, B = 8 };

static void take_and_give(struct hd_telling *t, hd_lock_op lock)
{
	hd_task_groups_lock(t, lock);
	hd_task_groups_lock(t, lock | HD_LOCK_OP_GIVE);
}

/* Once and once more is what others can come between; a third time is nothing new. */
static void loops_of_locks(void **state)
{
	struct hd_telling t = { 0 };

	take_and_give(&t, A);
	assert_int_equal(t.n, 2);
	for (int i = 0; i < 10000; i++)
		take_and_give(&t, A);
	assert_false(t.too_long);
	assert_int_equal(t.n, 2);
	assert_int_equal(t.told[0].item, A);
	assert_int_equal(t.told[1].item, A | HD_LOCK_OP_GIVE);
	free(t.told);
}

static void other_locks_stay(void **state)
{
	struct hd_telling t = { 0 };

	for (unsigned i = 0; i < 4; i++) {
		take_and_give(&t, A);
		take_and_give(&t, B);
	}
	assert_int_equal(t.n, 16);
	for (unsigned i = 0; i < 16; i++)
		assert_int_equal(t.told[i].item,
				 (i / 2 % 2 ? B : A) | (i % 2 ? HD_LOCK_OP_GIVE : 0));
	free(t.told);
}

/* There is an end to what is kept, and it is said. */
static void too_long(void **state)
{
	struct hd_telling t = { 0 };

	for (unsigned i = 0; i < 8 * HD_STORY_MAX; i++)
		hd_task_groups_lock(&t, 4 * i + 4);
	assert_false(t.too_long);
	assert_int_equal(t.n, 8 * HD_STORY_MAX);
	hd_task_groups_lock(&t, A);
	assert_true(t.too_long);
	assert_int_equal(t.n, 8 * HD_STORY_MAX);
	free(t.told);
}

/* The same accesses a third time in a row are left out; of two members they are one story of two. */
static void loops_of_accesses(void **state)
{
	struct hd_task_groups g;
	struct hd_telling t = { 0 };

	assert_true(hd_task_groups_init(&g));
	hd_task_groups_add(&g, 0x1000, 4, 7);
	hd_task_groups_add(&g, 0x1008, 8, 7);
	hd_task_groups_access(&g, &t, 0x2000 >> 3, 0xff, true, (struct hd_did_at){ 0 });
	assert_int_equal(t.n, 0); /* no member */
	hd_task_groups_access(&g, &t, 0x1000 >> 3, 0xf0, true, (struct hd_did_at){ 0 });
	assert_false(t.accessed); /* beside it */
	for (int i = 0; i < 1000; i++) {
		hd_task_groups_access(&g, &t, 0x1000 >> 3, 0x0f, false, (struct hd_did_at){ 0 });
		hd_task_groups_access(&g, &t, 0x1008 >> 3, 0xff, true, (struct hd_did_at){ 0 });
	}
	assert_true(t.accessed);
	assert_false(t.too_long);
	assert_true(t.n >= 4 && t.n <= 6);
	for (size_t i = 0; i < t.n; i++) {
		assert_int_equal(t.told[i].item,
				 HD_STORY_ACCESS | (i % 2 ? 1u << 1 | HD_STORY_WRITE : 0));
		assert_true(t.told[i].addr == (i % 2 ? 0x1008 : 0x1000));
	}
	free(t.told);
	hd_task_groups_free(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(loops_of_locks),
		cmocka_unit_test(other_locks_stay),
		cmocka_unit_test(too_long),
		cmocka_unit_test(loops_of_accesses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
