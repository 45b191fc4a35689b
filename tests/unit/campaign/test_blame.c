/*
 * A torn pattern is put right by moving the decisions of one thread, and nothing else.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "campaign/blame.h"
#include "campaign/shrink.h"

/* Decisions as a word: "1122" is T1 twice, then T2 twice. Decision i is event 10 * i. */
static size_t decisions(const char *word, struct hd_blame_step *list)
{
	size_t n = strlen(word);

	for (size_t i = 0; i < n; i++)
		list[i] = (struct hd_blame_step){ .chosen = (uint32_t)(word[i] - '0'),
						  .owner = (uint32_t)(word[i] - '0'),
						  .index = 10 * i };
	return n;
}

/* The events are of decisions @e1, @f and @e2 (below 0: it did not come). */
static void expect(const char *was, int e1, int f, int e2, enum hd_mending how, const char *is)
{
	struct hd_blame_step list[32];
	size_t n = decisions(was, list), m, at = 0;
	const uint64_t event[3] = { 10 * (uint64_t)e1 + 1, 10 * (uint64_t)f + 1,
				    e2 < 0 ? HD_NO_INDEX : 10 * (uint64_t)e2 + 1 };
	struct hd_segment *out = hd_mend(list, n, event, how, &m);
	char text[64] = "";

	assert_non_null(out);
	for (size_t i = 0; i < m; i++) {
		if (out[i].count == HD_SEGMENT_ON) {
			text[at++] = (char)('0' + out[i].thread);
			text[at++] = '*';
			continue;
		}
		for (uint32_t k = 0; k < out[i].count; k++)
			text[at++] = (char)('0' + out[i].thread);
	}
	free(out);
	assert_string_equal(text, is);
}

static void torn_thread_first(void **state)
{
	/* T1 reads, T2 reads and writes, T1 writes: T1 does both, then T2 does. */
	expect("112231", 1, 3, 5, HD_MEND_LATER, "111223");
	expect("1221", 0, 2, 3, HD_MEND_LATER, "1122");
	expect("312213", 1, 3, 4, HD_MEND_LATER, "311223");
	/* Others keep their order among themselves. */
	expect("123321", 0, 1, 5, HD_MEND_LATER, "112332");
	/* It never came to its last access: it goes on as far as it can. */
	expect("1223", 0, 2, -1, HD_MEND_LATER, "11*223");
}

static void other_thread_first(void **state)
{
	expect("1221", 0, 2, 3, HD_MEND_EARLIER, "2211");
	expect("312213", 1, 3, 4, HD_MEND_EARLIER, "322113");
	expect("1323", 0, 2, -1, HD_MEND_EARLIER, "2133");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(torn_thread_first),
		cmocka_unit_test(other_thread_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
