/*
 * Schedules: text in and out, and from a trace.
 */
#include "trace_fixture.h"

#include "trace/schedule_text.h"

static char *temporary(void)
{
	char *path = strdup("/tmp/heddle-test-XXXXXX");
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	close(fd);
	return path;
}

static void check_same(const struct hd_schedule *a, const struct hd_schedule *b)
{
	assert_int_equal(a->argc, b->argc);
	for (int i = 0; i < a->argc; i++)
		assert_string_equal(a->argv[i], b->argv[i]);
	assert_int_equal(a->nkeys, b->nkeys);
	for (size_t i = 0; i < a->nkeys; i++) {
		assert_string_equal(a->keys[i], b->keys[i]);
		assert_string_equal(a->values[i], b->values[i]);
	}
	assert_true(a->start_time == b->start_time);
	assert_int_equal(a->nchoices, b->nchoices);
	if (a->nchoices)
		assert_memory_equal(a->choices, b->choices, a->nchoices * sizeof(*a->choices));
}

static void save_and_load(void **state)
{
	char *path = temporary();
	struct hd_errbuf eb;
	struct hd_rng r;

	hd_rng_seed(&r, test_seed());
	for (int i = 0; i < 300; i++) {
		/* Words that need quotes, among others. */
		char *argv[] = { (char *)"./bank", (char *)"a b", (char *)"", (char *)"\"#\\",
				 (char *)"x\ny" };
		char *keys[] = { (char *)"policy", (char *)"odd key" };
		char *values[] = { (char *)"random", (char *)"" };
		uint32_t choices[200];
		struct hd_schedule s = { argv,
					 (int)hd_rng_below(&r, 6),
					 keys,
					 values,
					 hd_rng_below(&r, 3),
					 hd_rng_below(&r, 2) * 1700000000,
					 choices,
					 hd_rng_below(&r, 200) },
				   got;

		for (size_t k = 0; k < s.nchoices; k++)
			choices[k] = k && hd_rng_below(&r, 3) ? choices[k - 1]
							      : (uint32_t)any_number(&r);
		assert_int_equal(hd_schedule_save(&s, path, &eb), HD_OK);
		assert_int_equal(hd_schedule_load(&got, path, &eb), HD_OK);
		check_same(&s, &got);
		hd_schedule_free(&got);
	}
	unlink(path);
	free(path);
}

static void by_hand(void **state)
{
	static const char text[] = "heddle-schedule 1\nprogram ./bank 3\noption policy random\n"
				   "option seed 7\n\n# a comment\nstart-time 1700000000\n"
				   "T1 x3          # three times\nT2\r\nT1 x2\n";
	static const uint32_t want[] = { 1, 1, 1, 2, 1, 1 };
	struct hd_errbuf eb;
	struct hd_schedule s;

	assert_int_equal(hd_schedule_parse(&s, text, sizeof(text) - 1, "s", &eb), HD_OK);
	assert_int_equal(s.argc, 2);
	assert_string_equal(s.argv[0], "./bank");
	assert_null(s.argv[2]);
	assert_string_equal(hd_schedule_option(&s, "seed"), "7");
	assert_null(hd_schedule_option(&s, "speed"));
	assert_int_equal(s.start_time, 1700000000);
	assert_int_equal(s.nchoices, 6);
	assert_memory_equal(s.choices, want, sizeof(want));
	hd_schedule_free(&s);
}

static void refusals(void **state)
{
	static const struct {
		const char *text, *says;
	} bad[] = {
		{ "", "line 1" },
		{ "T1\n", "line 1: not a schedule" },
		{ "heddle-schedule 2\n", "version 2; this heddle reads version 1" },
		{ "heddle-schedule 1\nT1 14\n", "line 2" },
		{ "heddle-schedule 1\nT1 x0\n", "line 2" },
		{ "heddle-schedule 1\nT1 x1 x2\n", "line 2" },
		{ "heddle-schedule 1\n\nTT\n", "line 3" },
		{ "heddle-schedule 1\nfrob\n", "line 2" },
		{ "heddle-schedule 1\noption a\n", "line 2" },
		{ "heddle-schedule 1\noption a b c\n", "line 2" },
		{ "heddle-schedule 1\nprogram\n", "line 2" },
		{ "heddle-schedule 1\nprogram a\nprogram b\n", "line 3" },
		{ "heddle-schedule 1\nprogram \"a\n", "line 2" },
		{ "heddle-schedule 1\nstart-time soon\n", "line 2" },
		{ "heddle-schedule 1\nT1 x4294967295\n", "decisions" },
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct hd_errbuf eb = { 0 };
		struct hd_schedule s;

		assert_int_not_equal(
			hd_schedule_parse(&s, bad[i].text, strlen(bad[i].text), "s", &eb), HD_OK);
		assert_non_null(strstr(eb.text, bad[i].says));
		assert_null(s.argv);
	}
}

static void from_a_trace(void **state)
{
	const struct hd_event ev[] = {
		{ .op = HD_OP_CHOICE, .value = 2, .value2 = 2, .thread = 1 },
		{ .op = HD_OP_BEGIN, .thread = 2 },
		{ .op = HD_OP_CHOICE, .value = 1, .value2 = 2, .thread = 2 },
	};
	char *path = temporary();
	struct hd_errbuf eb;
	struct hd_schedule s;
	size_t len;
	uint8_t *bytes = trace_of(ev, 3, &len);
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, len, f), len);
	fclose(f);
	assert_int_equal(hd_schedule_load(&s, path, &eb), HD_OK);
	assert_int_equal(s.nchoices, 2);
	assert_int_equal(s.choices[0], 2);
	assert_int_equal(s.choices[1], 1);
	assert_string_equal(s.argv[0], "./prog");
	assert_string_equal(hd_schedule_option(&s, "policy"), "random");
	hd_schedule_free(&s);
	/* A run that was cut short has a schedule up to there: without the end record's
	 * last byte the events are still whole. */
	assert_int_equal(truncate(path, (off_t)len - 1), 0);
	assert_int_equal(hd_schedule_load(&s, path, &eb), HD_OK);
	assert_int_equal(s.nchoices, 2);
	hd_schedule_free(&s);
	unlink(path);
	free(path);
	free(bytes);
}

static void bad_files(void **state)
{
	struct hd_schedule s = { 0 };
	struct hd_errbuf eb;

	assert_int_equal(hd_schedule_load(&s, "/nonexistent/x", &eb), HD_ERR_IO);
	assert_int_equal(hd_schedule_save(&s, "/nonexistent/x", &eb), HD_ERR_IO);
	assert_int_equal(hd_schedule_save(&s, "/dev/full", &eb), HD_ERR_FULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(save_and_load), cmocka_unit_test(by_hand),
		cmocka_unit_test(refusals),	 cmocka_unit_test(from_a_trace),
		cmocka_unit_test(bad_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
