/* Answers in a file: what was kept is found by whoever opens it, and nothing else is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/answers.h"

#define ABOUT 77u
#define MANY  1000u

static char path[] = "/tmp/heddle-answers-XXXXXX";

static struct hd_answers *open_it(void)
{
	struct hd_answers *a;
	struct hd_errbuf eb;
	uint64_t word = 5;

	assert_int_equal(hd_answers_open(&a, path, ABOUT, &word, &eb), HD_OK);
	assert_int_equal(word, 5);
	return a;
}

static struct hd_answer_key key_of(unsigned i)
{
	return hd_answer_key(&i, sizeof(i));
}

/* Answer @i is @i times a letter. */
static void keep(struct hd_answers *a, unsigned i)
{
	char text[MANY];

	memset(text, 'a' + (int)(i % 26), i);
	assert_true(hd_answers_keep(a, key_of(i), text, i));
}

static bool has(struct hd_answers *a, unsigned i)
{
	size_t len;
	char *bytes;

	if (!hd_answers_find(a, key_of(i), &bytes, &len))
		return false;
	assert_int_equal(len, i);
	for (size_t k = 0; k < len; k++)
		assert_int_equal(bytes[k], 'a' + (int)(i % 26));
	free(bytes);
	return true;
}

static void test_all_are_found(void **state)
{
	struct hd_answers *a = open_it();

	(void)state;
	for (unsigned i = 0; i < MANY; i += 2)
		keep(a, i);
	keep(a, 2); /* is there already */
	assert_int_equal(hd_answers_count(a), MANY / 2);
	for (int again = 0; again < 2; again++) {
		for (unsigned i = 0; i < MANY; i++)
			assert_int_equal(has(a, i), i % 2 == 0);
		hd_answers_close(a);
		a = open_it();
		assert_int_equal(hd_answers_damaged(a), 0);
	}
	assert_true(hd_answers_forget_all(a));
	assert_false(has(a, 4));
	keep(a, 4);
	hd_answers_close(a);
	a = open_it();
	assert_int_equal(hd_answers_count(a), 1);
	assert_true(has(a, 4));
	hd_answers_close(a);
}

static size_t read_it(char *bytes, size_t room)
{
	FILE *in = fopen(path, "r");
	size_t n = fread(bytes, 1, room, in);

	fclose(in);
	return n;
}

static void write_it(const char *bytes, size_t len)
{
	FILE *out = fopen(path, "w");

	assert_int_equal(fwrite(bytes, 1, len, out), len);
	fclose(out);
}

/* Cut anywhere, or with any bit changed: what comes before is there, and what comes after can be kept again. */
static void test_damage(void **state)
{
	static char whole[4096], damaged[4096];
	struct hd_answers *a;
	size_t ends[6], n, k = 0;

	(void)state;
	write_it("", 0);
	a = open_it();
	hd_answers_close(a);
	for (unsigned i = 0; i < 6; i++) {
		ends[i] = read_it(whole, sizeof(whole));
		a = open_it();
		keep(a, 10 * i);
		hd_answers_close(a);
	}
	n = read_it(whole, sizeof(whole));
	for (size_t at = ends[0]; at < n; at += 3) {
		for (int cut = 0; cut < 2; cut++) {
			memcpy(damaged, whole, n);
			damaged[at] ^= (char)(1 << at % 8);
			write_it(damaged, cut ? at : n);
			a = open_it();
			while (k < 5 && ends[k + 1] <= at)
				k++;
			assert_int_equal(hd_answers_count(a), k);
			for (unsigned i = 0; i < 6; i++)
				assert_int_equal(has(a, 10 * i), i < k);
			for (unsigned i = 0; i < 6; i++)
				keep(a, 10 * i);
			hd_answers_close(a);
			assert_int_equal(read_it(damaged, sizeof(damaged)), n);
			assert_memory_equal(damaged, whole, n);
		}
	}
}

static void refused(uint64_t about, const char *why)
{
	struct hd_answers *a;
	struct hd_errbuf eb = { 0 };
	uint64_t word = 0;

	assert_int_equal(hd_answers_open(&a, path, about, &word, &eb), HD_ERR_INVALID);
	assert_null(a);
	assert_non_null(strstr(eb.text, why));
}

static void test_of_something_else(void **state)
{
	struct hd_answers *a;

	(void)state;
	write_it("", 0);
	a = open_it();
	refused(ABOUT, "another process");
	hd_answers_close(a);
	refused(ABOUT + 1, "another program");
	write_it("int main(void)\n{\n}\n", 19);
	refused(ABOUT, "no such file");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_are_found),
		cmocka_unit_test(test_damage),
		cmocka_unit_test(test_of_something_else),
	};
	int fd = mkstemp(path), failed;

	if (fd < 0)
		return 1;
	close(fd);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(path);
	return failed;
}
