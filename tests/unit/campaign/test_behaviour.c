/*
 * What is normal and what departs from it; texts as sets of lines against a slow comparison.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "campaign/behaviour.h"
#include "common/rng.h"

static struct hd_text text(const char *s)
{
	return (struct hd_text){ strdup(s), strlen(s) };
}

static struct hd_behaviour run(int exited, int code, const char *out)
{
	return (struct hd_behaviour){ .exited = exited,
				      .code = code,
				      .oracle = -1,
				      .bad = exited != 1 || code ? HD_ENDED_BADLY : HD_WENT_WELL,
				      .text = { text(out), text("") } };
}

/* Strike out each line of @b by an equal one of @a. */
static bool slow_same_lines(const char *a, const char *b)
{
	char used[64] = { 0 };

	if (strlen(a) != strlen(b))
		return false;
	while (*a) {
		size_t len = strcspn(a, "\n"), at = 0;
		bool found = false;

		len += a[len] == '\n';
		for (const char *p = b; *p && !found;) {
			size_t n = strcspn(p, "\n");

			n += p[n] == '\n';
			at = (size_t)(p - b);
			if (!used[at] && n == len && !memcmp(a, p, n))
				found = true;
			p += n;
		}
		if (!found)
			return false;
		used[at] = 1;
		a += len;
	}
	return true;
}

static void test_lines_against_slow(void **state)
{
	struct hd_rng rng;

	hd_rng_seed(&rng, 3);
	for (int round = 0; round < 200000; round++) {
		char a[16], b[16], odd[32];
		size_t na = hd_rng_below(&rng, 9), nb = hd_rng_below(&rng, 9);
		struct hd_text ta, tb;
		bool same, missing;

		for (size_t i = 0; i < na; i++)
			a[i] = "ab\n"[hd_rng_below(&rng, 3)];
		for (size_t i = 0; i < nb; i++)
			b[i] = "ab\n"[hd_rng_below(&rng, 3)];
		a[na] = b[nb] = 0;
		ta = text(a);
		tb = text(b);
		same = slow_same_lines(a, b);
		if (hd_text_same_lines(&ta, &tb) != same)
			fail_msg("seed 3, round %d", round);
		assert_int_equal(hd_text_odd_line(&ta, &tb, odd, sizeof(odd), &missing), !same);
		hd_text_free(&ta);
		hd_text_free(&tb);
	}
}

static void test_odd_line(void **state)
{
	struct hd_text is = text("a\nb 90\nc\n"), was = text("c\nb 157\na\n"), less = text("a\n");
	char line[32];
	bool missing;

	assert_true(hd_text_odd_line(&is, &was, line, sizeof(line), &missing));
	assert_string_equal(line, "b 90");
	assert_false(missing);
	assert_true(hd_text_odd_line(&less, &is, line, sizeof(line), &missing));
	assert_string_equal(line, "b 90");
	assert_true(missing);
	hd_text_free(&is);
	is = text("a\001tail that is much too long for the buffer\n");
	assert_true(hd_text_odd_line(&is, &was, line, 12, &missing));
	assert_string_equal(line, "a?tail t...");
	hd_text_free(&is);
	hd_text_free(&was);
	hd_text_free(&less);
}

static enum hd_departure departure(const struct hd_normal *n, struct hd_behaviour b)
{
	char why[300] = "";
	enum hd_departure d = hd_normal_departure(n, &b, why, sizeof(why));

	assert_int_equal(d != HD_DEPART_NONE, why[0] != 0);
	hd_behaviour_free(&b);
	return d;
}

static void add(struct hd_normal *n, struct hd_behaviour b, bool orderly)
{
	hd_normal_add(n, &b, orderly);
}

static void test_departures(void **state)
{
	struct hd_normal n = { 0 };
	struct hd_behaviour oracle = run(1, 0, "a\nb\n");

	add(&n, run(1, 0, "a\nb\n"), true);
	add(&n, run(1, 0, "b\na\n"), true);
	assert_int_equal(departure(&n, run(1, 0, "b\na\n")), HD_DEPART_NONE);
	assert_int_equal(departure(&n, run(1, 0, "b\n")), HD_DEPART_OUTPUT);
	assert_int_equal(departure(&n, run(1, 3, "a\nb\n")), HD_DEPART_EXIT);
	assert_int_equal(departure(&n, run(0, 9, "a\nb\n")), HD_DEPART_EXIT);
	assert_int_equal(departure(&n, run(-1, 0, "")), HD_DEPART_NONE); /* it was stopped */
	oracle.oracle = 1;
	assert_int_equal(departure(&n, oracle), HD_DEPART_ORACLE);
	oracle = run(1, 0, "a\nb\n");
	oracle.oracle = 0;
	assert_int_equal(departure(&n, oracle), HD_DEPART_NONE);
	hd_normal_free(&n);
}

/* What ordinary runs do too is no departure. */
static void test_varying(void **state)
{
	struct hd_normal n = { 0 };

	add(&n, run(1, 0, "1\n"), true);
	add(&n, run(1, 0, "2\n"), false);
	assert_int_equal(departure(&n, run(1, 0, "3\n")), HD_DEPART_NONE);
	assert_int_equal(departure(&n, run(1, 1, "3\n")), HD_DEPART_EXIT);
	hd_normal_free(&n);

	/* Orderly runs that end in different ways: the status says nothing. */
	add(&n, run(1, 0, "1\n"), true);
	add(&n, run(1, 4, "1\n"), true);
	assert_int_equal(departure(&n, run(1, 5, "1\n")), HD_DEPART_NONE);
	assert_int_equal(departure(&n, run(1, 0, "9\n")), HD_DEPART_OUTPUT);
	hd_normal_free(&n);

	/* An ordinary run that fails is not what is normal. */
	add(&n, run(1, 0, "1\n"), true);
	add(&n, run(1, 4, "wrong\n"), false);
	assert_int_equal(n.failed, 1);
	assert_int_equal(departure(&n, run(1, 4, "wrong\n")), HD_DEPART_EXIT);
	assert_int_equal(departure(&n, run(1, 0, "wrong\n")), HD_DEPART_OUTPUT);
	hd_normal_free(&n);
}

static struct hd_behaviour grief(int sig)
{
	struct hd_behaviour b = run(0, sig, "");

	b.bad = HD_CAME_TO_GRIEF;
	return b;
}

/* Only what is worse than the best of the orderly runs has failed. */
static int count_line(const char *text, char line)
{
	int n = 0;

	for (; *text; text++)
		n += *text == line;
	return n;
}

/* Of one letter each. */
static void random_lines(struct hd_rng *rng, char *to)
{
	size_t n = hd_rng_below(rng, 5);

	for (size_t i = 0; i < n; i++) {
		*to++ = "abc"[hd_rng_below(rng, 3)];
		*to++ = '\n';
	}
	*to = 0;
}

/* Odd is what no orderly run writes if they all write the same, or what lacks a line that all have as often. */
static void test_odd_where_orderly_runs_vary(void **state)
{
	struct hd_rng rng;

	hd_rng_seed(&rng, 5);
	for (int round = 0; round < 20000; round++) {
		struct hd_normal n = { 0 }, copy;
		struct hd_behaviour b;
		char text[12], orderly[3][12], why[300];
		bool same = true, lacks = false;

		for (int i = 0; i < 3; i++) {
			random_lines(&rng, orderly[i]);
			b = run(1, 0, orderly[i]);
			hd_normal_add(&n, &b, true);
		}
		random_lines(&rng, text);
		b = run(1, 0, text);
		for (const char *l = "abc"; *l; l++) {
			int least = 9, is = count_line(text, *l);

			for (int i = 0; i < 3; i++) {
				int was = count_line(orderly[i], *l);

				same &= was == count_line(orderly[0], *l);
				least = was < least ? was : least;
			}
			lacks |= is < least;
		}
		for (const char *l = "abc"; *l && same; l++)
			lacks |= count_line(text, *l) != count_line(orderly[0], *l);
		assert_int_equal(hd_normal_is_odd(&n, &b, why, sizeof(why)), lacks);
		assert_true(hd_normal_copy(&copy, &n));
		hd_normal_free(&n);
		assert_int_equal(hd_normal_is_odd(&copy, &b, why, sizeof(why)), lacks);
		hd_normal_free(&copy);
		hd_behaviour_free(&b);
	}
}

static void test_worse(void **state)
{
	struct hd_normal n = { 0 };
	struct hd_behaviour expected = run(1, 3, "");

	add(&n, run(1, 1, ""), true);
	assert_int_equal(departure(&n, run(1, 0, "")), HD_DEPART_NONE);
	assert_int_equal(departure(&n, run(1, 2, "")), HD_DEPART_NONE);
	assert_int_equal(departure(&n, grief(SIGSEGV)), HD_DEPART_EXIT);
	hd_normal_free(&n);

	add(&n, grief(SIGSEGV), true);
	assert_int_equal(departure(&n, run(1, 0, "")), HD_DEPART_NONE);
	assert_int_equal(departure(&n, run(1, 1, "")), HD_DEPART_NONE);
	assert_int_equal(departure(&n, grief(SIGABRT)), HD_DEPART_NONE);
	hd_normal_free(&n);

	/* A status that is expected is as good as 0. */
	expected.bad = HD_WENT_WELL;
	add(&n, run(1, 0, ""), true);
	assert_int_equal(departure(&n, expected), HD_DEPART_NONE);
	assert_int_equal(departure(&n, run(1, 4, "")), HD_DEPART_EXIT);
	hd_normal_free(&n);
}

static void test_read(void **state)
{
	int fd = memfd_create("text", MFD_CLOEXEC);
	struct hd_errbuf eb = { 0 };
	struct hd_text t;

	assert_int_equal(hd_text_read(&t, fd, &eb), HD_OK);
	assert_int_equal(t.len, 0);
	hd_text_free(&t);
	assert_int_equal(write(fd, "abc\n", 4), 4); /* the position is behind it */
	assert_int_equal(hd_text_read(&t, fd, &eb), HD_OK);
	assert_int_equal(t.len, 4);
	assert_memory_equal(t.data, "abc\n", 4);
	hd_text_free(&t);
	close(fd);
	assert_int_equal(hd_text_read(&t, -1, &eb), HD_ERR_IO);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines_against_slow),
		cmocka_unit_test(test_odd_line),
		cmocka_unit_test(test_departures),
		cmocka_unit_test(test_varying),
		cmocka_unit_test(test_odd_where_orderly_runs_vary),
		cmocka_unit_test(test_worse),
		cmocka_unit_test(test_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
