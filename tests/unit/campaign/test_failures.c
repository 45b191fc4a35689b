/*
 * Whether a run fails, and whether two fail alike: handmade runs against what is normal.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "campaign/campaign.h"

/* Only whether there is a trace matters here: nobody reads it. */
#define SOME_TRACE ((struct hd_trace *)1)

/* A run that ended with @code and printed @out. */
static struct hd_trial ended(int code, const char *out)
{
	return (struct hd_trial){
		.trace = SOME_TRACE,
		.trace_fd = -1,
		.text_fd = { -1, -1 },
		.behaviour = { .exited = 1,
			       .code = code,
			       .oracle = -1,
			       .bad = code ? HD_ENDED_BADLY : HD_WENT_WELL,
			       .text = { { strdup(out), strlen(out) }, { strdup(""), 0 } } },
	};
}

static struct hd_finding *show(struct hd_trial *t, enum hd_kind kind, const char *id)
{
	struct hd_finding *f = hd_run_new_finding(&t->run);

	assert_non_null(f);
	hd_finding_set_kind(f, kind);
	snprintf(f->identity.id, sizeof(f->identity.id), "%s", id);
	return f;
}

static void drop(struct hd_trial *t)
{
	hd_run_free(&t->run);
	hd_behaviour_free(&t->behaviour);
}

/* Normal: status 0 and the line "done". */
static struct hd_campaign campaign(void)
{
	struct hd_campaign c = { .stalls = 100 };
	struct hd_trial t = ended(0, "done\n");

	hd_normal_add(&c.normal, &t.behaviour, true);
	drop(&t);
	return c;
}

static void leave(struct hd_campaign *c)
{
	hd_normal_free(&c->normal);
	free(c->known.list);
	free(c->told.list);
}

static struct hd_failure judge(const struct hd_campaign *c, struct hd_trial *t)
{
	struct hd_failure f = hd_campaign_failure(c, t);

	drop(t);
	return f;
}

static void normal_runs_do_not_fail(void **state)
{
	struct hd_campaign c = campaign();
	struct hd_trial same = ended(0, "done\n"), race = ended(0, "done\n"), slow = ended(9, "do");

	assert_int_equal(judge(&c, &same).what, HD_FAIL_NONE);
	/* A race is an error of the program; this run did not fail by it. */
	hd_finding_add_access(show(&race, HD_KIND_RACE, "1"));
	assert_int_equal(judge(&c, &race).what, HD_FAIL_NONE);
	/* What had to be stopped may only be slow. */
	slow.timed_out = true;
	assert_int_equal(judge(&c, &slow).what, HD_FAIL_NONE);
	leave(&c);
}

static void exit_and_output_are_compared(void **state)
{
	struct hd_campaign c = campaign();
	struct hd_trial three = ended(3, "done\n"), again = ended(3, "done\n");
	struct hd_trial four = ended(4, "done\n"), odd = ended(0, "odd\n");
	struct hd_failure a = judge(&c, &three), b = judge(&c, &again), d = judge(&c, &four);
	struct hd_failure e = judge(&c, &odd);

	assert_int_equal(a.what, HD_FAIL_EXIT);
	assert_true(hd_same_failure(&a, &b));
	assert_false(hd_same_failure(&a, &d));
	assert_int_equal(e.what, HD_FAIL_OUTPUT);
	assert_non_null(strstr(e.words, "odd"));
	assert_false(hd_same_failure(&a, &e));
	leave(&c);
}

static void findings_are_told_apart_by_place(void **state)
{
	struct hd_campaign c = campaign();
	struct hd_trial one = ended(0, "done\n"), same = ended(0, "done\n"),
			two = ended(0, "done\n");
	struct hd_failure a, b, d;

	show(&one, HD_KIND_ASSERTION, "1");
	show(&same, HD_KIND_ASSERTION, "1");
	show(&two, HD_KIND_ASSERTION, "2");
	a = judge(&c, &one);
	b = judge(&c, &same);
	d = judge(&c, &two);
	assert_int_equal(a.what, HD_FAIL_FINDING);
	assert_int_equal(a.kind, HD_KIND_ASSERTION);
	assert_string_equal(a.id, "1");
	assert_true(hd_same_failure(&a, &b));
	assert_false(hd_same_failure(&a, &d));
	leave(&c);
}

static void what_orderly_runs_do_is_no_failure(void **state)
{
	struct hd_campaign c = campaign();
	struct hd_trial orderly = ended(0, "done\n"), same = ended(0, "done\n"),
			other = ended(0, "done\n");

	show(&orderly, HD_KIND_ASSERTION, "1");
	show(&same, HD_KIND_ASSERTION, "1");
	show(&other, HD_KIND_ASSERTION, "2");
	assert_true(hd_campaign_know(&c, &orderly));
	drop(&orderly);
	assert_int_equal(c.known.n, 1);
	assert_int_equal(judge(&c, &same).what, HD_FAIL_NONE);
	assert_int_equal(judge(&c, &other).what, HD_FAIL_FINDING);
	leave(&c);
}

/* Where even the best of the orderly runs came to grief, nothing is worse. */
static void nothing_is_worse_than_grief(void **state)
{
	struct hd_campaign c = campaign();
	struct hd_trial t = ended(0, "done\n");

	c.normal.bad = HD_CAME_TO_GRIEF;
	show(&t, HD_KIND_ASSERTION, "1");
	assert_int_equal(judge(&c, &t).what, HD_FAIL_NONE);
	leave(&c);
}

static void stalls_count_from_their_limit_on(void **state)
{
	struct hd_campaign c = campaign();
	struct hd_trial t = ended(0, "done\n");

	assert_false(hd_campaign_is_stalled(&c, &t));
	t.run.nstalls = 1;
	t.run.stalls[0] = (struct hd_stall){ .thread = 2, .ns = 100 };
	assert_false(hd_campaign_stalled(&c, &t));
	assert_int_equal(c.stalled, 0);
	t.run.stalls[0].ns = 101;
	assert_true(hd_campaign_is_stalled(&c, &t));
	assert_int_equal(c.stalled, 0);
	assert_true(hd_campaign_stalled(&c, &t) && hd_campaign_stalled(&c, &t));
	assert_int_equal(c.stalled, 2);
	assert_true(*c.stall_words);
	drop(&t);
	leave(&c);
}

/* Each fault once: the second run that shows it is not kept, one with another is. */
static void runs_that_show_something_new_are_kept(void **state)
{
	static const struct {
		const char *id;
		size_t kept;
	} runs[] = { { NULL, 0 }, { "1", 1 }, { "1", 1 }, { "2", 2 } };
	struct hd_campaign c = campaign();

	for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
		struct hd_trial t = ended(0, "done\n");

		if (runs[i].id)
			show(&t, HD_KIND_ASSERTION, runs[i].id);
		assert_true(hd_campaign_keep_extra(&c, &t));
		assert_int_equal(c.nextra, runs[i].kept);
		drop(&t); /* empty if it was kept */
	}
	for (size_t i = 0; i < c.nextra; i++) {
		drop(c.extra[i].trial);
		free(c.extra[i].trial);
	}
	free(c.extra);
	leave(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(normal_runs_do_not_fail),
		cmocka_unit_test(exit_and_output_are_compared),
		cmocka_unit_test(findings_are_told_apart_by_place),
		cmocka_unit_test(what_orderly_runs_do_is_no_failure),
		cmocka_unit_test(nothing_is_worse_than_grief),
		cmocka_unit_test(stalls_count_from_their_limit_on),
		cmocka_unit_test(runs_that_show_something_new_are_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
