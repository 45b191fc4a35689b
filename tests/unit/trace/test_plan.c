/*
 * Plans: text in and out, from a trace, and what is refused.
 */
#include "trace_fixture.h"

#include "trace/plan.h"
#include "trace/segments.h"

static char *temporary(void)
{
	char *path = strdup("/tmp/heddle-test-XXXXXX");
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	close(fd);
	return path;
}

static struct hd_plan_entry any_entry(struct hd_rng *r)
{
	struct hd_plan_entry e = { .thread = 1 + (uint32_t)hd_rng_below(r, HD_PLAN_THREADS_MAX) };

	do {
		e.op = (uint16_t)hd_rng_below(r, HD_OP_LIMIT);
	} while (!hd_op_is_planned(e.op));
	e.flags = (uint16_t)hd_rng_below(r, 4);
	e.size = (uint32_t)any_number(r);
	e.arg = (uint32_t)any_number(r);
	e.pc = any_number(r);
	e.addr = any_number(r);
	e.value = any_number(r);
	e.value2 = any_number(r);
	e.index = any_number(r);
	return e;
}

static void save_and_load(void **state)
{
	char *path = temporary();
	struct hd_errbuf eb;
	struct hd_rng r;

	hd_rng_seed(&r, test_seed());
	for (int i = 0; i < 300; i++) {
		struct hd_plan_entry entries[50];
		char *argv[] = { (char *)"./bank", (char *)"a b" };
		struct hd_plan got,
			p = { .run = { .argv = argv, .argc = (int)hd_rng_below(&r, 3) },
			      .build_id = (char *)(hd_rng_below(&r, 2) ? "5f3a" : NULL),
			      .goal = (char *)(hd_rng_below(&r, 2) ? "two\nlines \"and\" quotes"
								   : NULL),
			      .after = (char *)(hd_rng_below(&r, 2) ? "first:T2" : NULL),
			      .loose = hd_rng_below(&r, 2),
			      .entries = entries,
			      .n = hd_rng_below(&r, 50) };
		size_t next = hd_rng_below(&r, p.n + 1);

		for (size_t k = 0; k < p.n; k++) {
			entries[k] = any_entry(&r);
			if (k >= next)
				entries[k].flags |= HD_PLAN_NEXT;
		}
		assert_int_equal(hd_plan_save(&p, path, &eb), HD_OK);
		assert_true(hd_plan_is(path));
		assert_int_equal(hd_plan_load(&got, path, &eb), HD_OK);
		assert_int_equal(got.n, p.n);
		if (p.n)
			assert_memory_equal(got.entries, entries, p.n * sizeof(*entries));
		assert_int_equal(got.run.argc, p.run.argc);
		assert_int_equal(got.loose, p.loose);
		assert_true(!got.goal == !p.goal && (!p.goal || !strcmp(got.goal, p.goal)));
		assert_true(!got.after == !p.after && (!p.after || !strcmp(got.after, p.after)));
		assert_true(!got.build_id == !p.build_id);
		hd_plan_free(&got);
	}
	unlink(path);
	free(path);
}

static void refusals(void **state)
{
	static const struct {
		const char *text, *says;
	} bad[] = {
		{ "", "line 1: not a plan" },
		{ "heddle-schedule 1\n", "line 1: not a plan" },
		{ "heddle-plan 2\n", "version 2; this heddle reads version 1" },
		{ "heddle-plan 1\nT1\n", "line 2: there is no such event" },
		{ "heddle-plan 1\nT1 choice 1\n", "line 2: there is no such event" },
		{ "heddle-plan 1\nT1 read\n", "line 2: the event's number" },
		{ "heddle-plan 1\nT1 read x\n", "line 2: the event's number" },
		{ "heddle-plan 1\nT0 read 1\n", "line 2" },
		{ "heddle-plan 1\nT1048577 read 1\n", "not so many threads" },
		{ "heddle-plan 1\n\nT1 read 1 frob 2\n", "line 3" },
		{ "heddle-plan 1\nT1 read 1 value\n", "line 2: a number is missing" },
		{ "heddle-plan 1\nT1 read 1 size 4294967296\n", "too large" },
		{ "heddle-plan 1\nT1 read 1 pc 0x\n", "line 2" },
		{ "heddle-plan 1\nT1 read 1 pc 0x11111111111111111\n", "line 2" },
		{ "heddle-plan 1\nT1 read 1 next\nT1 read 2\n", "line 3: an event comes after" },
		{ "heddle-plan 1\ngoal a\ngoal b\n", "line 3: this is given twice" },
		{ "heddle-plan 1\nafter\n", "line 2" },
		{ "heddle-plan 1\nloose very\n", "line 2" },
	};
	struct hd_plan p = { 0 };
	struct hd_errbuf eb;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_not_equal(hd_plan_parse(&p, bad[i].text, strlen(bad[i].text), "p", &eb),
				     HD_OK);
		assert_non_null(strstr(eb.text, bad[i].says));
		assert_null(p.entries);
	}
	assert_int_equal(hd_plan_load(&p, "/nonexistent/x", &eb), HD_ERR_IO);
	assert_false(hd_plan_is("/nonexistent/x"));
	assert_int_equal(hd_plan_save(&p, "/nonexistent/x", &eb), HD_ERR_IO);
	assert_int_equal(hd_plan_save(&p, "/dev/full", &eb), HD_ERR_FULL);
}

static void from_a_trace(void **state)
{
	const struct hd_event ev[] = {
		{ .op = HD_OP_BEGIN, .thread = 1, .pc = 0x400010 },
		{ .op = HD_OP_CHOICE, .value = 2, .value2 = 2, .thread = 1 },
		{ .op = HD_OP_READ,
		  .thread = 2,
		  .pc = 0x400020,
		  .addr = 0x500000,
		  .size = 4,
		  .value = 7 },
	};
	struct hd_errbuf eb;
	struct hd_trace *t;
	struct hd_plan p;
	size_t len;
	uint8_t *bytes = trace_of(ev, 3, &len);

	assert_int_equal(hd_trace_open_mem(&t, bytes, len, &eb), HD_OK);
	assert_int_equal(hd_plan_init(&p, t, &eb), HD_OK);
	assert_string_equal(p.run.argv[0], "./prog");
	assert_string_equal(hd_schedule_option(&p.run, "policy"), "random");
	assert_null(p.build_id);
	assert_int_equal(p.n, 0);
	assert_int_equal(hd_plan_add(&p, &ev[2], 2, HD_PLAN_GOAL, &eb), HD_OK);
	assert_int_equal(p.n, 1);
	assert_int_equal(p.entries[0].thread, 2);
	assert_int_equal(p.entries[0].value, 7);
	assert_int_equal(p.entries[0].index, 2);
	hd_plan_free(&p);
	hd_trace_close(t);
	free(bytes);
}

/* T1 goes on, is preempted by T2, T2 wakes T3 and waits, T1 goes on, time passes until T2's deadline. */
static void segments_of_a_trace(void **state)
{
	const struct hd_event ev[] = {
		{ .op = HD_OP_CHOICE, .thread = 1, .value = 1, .arg = HD_CHOICE_COULD_GO_ON },
		{ .op = HD_OP_CHOICE, .thread = 1, .value = 1, .arg = HD_CHOICE_COULD_GO_ON },
		{ .op = HD_OP_CHOICE, .thread = 1, .value = 2, .arg = HD_CHOICE_COULD_GO_ON },
		{ .op = HD_OP_BEGIN, .thread = 2 },
		{ .op = HD_OP_CHOICE, .thread = 2, .value = 3, .arg = HD_CHOICE_WAKE },
		{ .op = HD_OP_CHOICE, .thread = 2, .value = 1 },
		{ .op = HD_OP_CHOICE,
		  .thread = 1,
		  .value = 2,
		  .arg = HD_CHOICE_COULD_GO_ON | HD_CHOICE_TIME },
	};
	static const struct hd_segment want[] = {
		{ 1, 2 },
		{ 2, 1 },
		{ 3 | HD_SEGMENT_WAKE, 1 },
		{ 1, 1 },
		{ 2 | HD_SEGMENT_TIME, 1 },
	};
	struct hd_segments s;
	struct hd_errbuf eb;
	struct hd_trace *t;
	size_t len;
	uint8_t *bytes = trace_of(ev, sizeof(ev) / sizeof(ev[0]), &len);

	assert_int_equal(hd_trace_open_mem(&t, bytes, len, &eb), HD_OK);
	assert_int_equal(hd_schedule_segments(t, &s, &eb), HD_OK);
	assert_int_equal(s.n, 5);
	assert_memory_equal(s.list, want, sizeof(want));
	assert_int_equal(s.preemptions, 2); /* of T1: by T2, and by the end of T2's wait */
	assert_int_equal(hd_segment_thread(&s.list[4]), 2);
	hd_segments_free(&s);
	hd_trace_close(t);
	free(bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(save_and_load),
		cmocka_unit_test(refusals),
		cmocka_unit_test(from_a_trace),
		cmocka_unit_test(segments_of_a_trace),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
