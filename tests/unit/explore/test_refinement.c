/* What one round of an exploration teaches the next. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "explore/refinement.h"

static void test_places_are_kept_once_in_order(void **state)
{
	struct hd_places p = { 0 };
	bool new = false, too_many = false;
	char *text;

	(void)state;
	assert_true(hd_places_add(&p, 0x401152, &new) && new);
	assert_true(hd_places_add(&p, 0x40115a, &new));
	assert_true(hd_places_add(&p, 0x401136, &new));
	new = false;
	assert_true(hd_places_add(&p, 0x401152, &new) && !new);
	assert_true(hd_places_add(&p, 0, &new) && !new); /* no place */
	assert_int_equal(p.n, 3);
	text = hd_places_text(&p, 100, &too_many);
	assert_string_equal(text, "401136,1c,8"); /* 0x401152 - 0x401136, 0x40115a - 0x401152 */
	free(text);
	assert_false(too_many);
	assert_null(hd_places_text(&p, 5, &too_many));
	assert_true(too_many);
	free(p.list);
}

static void test_what_is_learnt(void **state)
{
	struct hd_refinement r = { 0 };
	struct hd_xfault race = { .places = { 8, 4 } }, same = { .places = { 4, 8 } };

	(void)state;
	assert_true(hd_refinement_learn(&r, &race, true) && r.changed);
	r.changed = false;
	assert_true(hd_refinement_learn(&r, &same, true) && !r.changed);
	assert_true(hd_refinement_learn(&r, &same, false) &&
		    r.changed); /* as regions they are new */
	assert_int_equal(r.sites.n, 2);
	assert_int_equal(r.regions.n, 2);
	hd_refinement_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_places_are_kept_once_in_order),
		cmocka_unit_test(test_what_is_learnt),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
