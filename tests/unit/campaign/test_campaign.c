/*
 * What a campaign keeps account of: its time, why it ended early, notes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "campaign/campaign.h"
#include "common/clock.h"

static void time_left(void **state)
{
	struct hd_campaign c = { 0 };

	assert_true(hd_campaign_time_left(&c) == 0); /* no limit */
	c.pool.until = hd_now() + 1000;
	assert_true(hd_campaign_time_left(&c) > 900 && hd_campaign_time_left(&c) <= 1000);
	c.pool.until = hd_now() / 2; /* over, which is not the same as no limit */
	assert_true(hd_campaign_time_left(&c) > 0 && hd_campaign_time_left(&c) < 1);
}

static void why_it_ended_early(void **state)
{
	static const struct {
		enum hd_pool_why why;
		bool time, interrupted, memory;
	} ends[] = {
		{ HD_POOL_DONE, false, false, false },	{ HD_POOL_ENOUGH, false, false, false },
		{ HD_POOL_TIME, true, false, false },	{ HD_POOL_INTERRUPTED, false, true, false },
		{ HD_POOL_MEMORY, false, false, true }, { HD_POOL_FAILED, false, false, false },
	};

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		struct hd_campaign c = { 0 };
		bool early = ends[i].time || ends[i].interrupted || ends[i].memory;

		assert_int_equal(hd_campaign_ended_early(&c, ends[i].why), early);
		assert_int_equal(c.out_of_time, ends[i].time);
		assert_int_equal(c.interrupted, ends[i].interrupted);
		assert_int_equal(c.out_of_memory, ends[i].memory);
		/* What was so stays so. */
		hd_campaign_ended_early(&c, HD_POOL_DONE);
		assert_int_equal(c.out_of_time, ends[i].time);
	}
}

static void notes_that_have_no_room_are_dropped(void **state)
{
	struct hd_campaign c = { 0 };

	for (unsigned i = 0; i < 2 * HD_CAMPAIGN_NOTES; i++)
		hd_campaign_note(&c, "note %u", i);
	assert_int_equal(c.nnotes, HD_CAMPAIGN_NOTES);
	assert_string_equal(c.notes[0], "note 0");
	assert_string_equal(c.notes[HD_CAMPAIGN_NOTES - 1], "note 31");
	assert_null(c.notes[HD_CAMPAIGN_NOTES]);
	hd_campaign_tear_down(&c);
}

static void an_identity_is_kept_once(void **state)
{
	struct hd_ids ids = { 0 };
	char id[17];

	for (unsigned i = 0; i < 200; i++) {
		snprintf(id, sizeof(id), "%016x", i % 50);
		assert_int_equal(hd_ids_have(&ids, id), i >= 50);
		assert_true(hd_ids_add(&ids, id));
	}
	assert_int_equal(ids.n, 50);
	free(ids.list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(time_left),
		cmocka_unit_test(why_it_ended_early),
		cmocka_unit_test(notes_that_have_no_room_are_dropped),
		cmocka_unit_test(an_identity_is_kept_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
