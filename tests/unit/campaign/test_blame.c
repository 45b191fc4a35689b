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

/*
 * Decisions as a word: "1122" is T1 twice, then T2 twice; "a1" is T1 twice, and in between it holds a lock, "b2" the
 * same of T2. Decision i is event 10 * i.
 */
static size_t decisions(const char *word, struct hd_blame_step *list)
{
	size_t n = strlen(word);

	for (size_t i = 0; i < n; i++) {
		bool holds = word[i] >= 'a';
		uint32_t thread = (uint32_t)(word[i] - (holds ? 'a' - 1 : '0'));

		list[i] = (struct hd_blame_step){
			.chosen = thread, .owner = thread, .held = holds, .index = 10 * i
		};
	}
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

/* T1 reads and T2 reads, each in a critical section, T2 writes in another one, and so does T1. */
static void critical_sections_stay_whole(void **state)
{
	expect("aa1bb2bb2aa11", 1, 7, 10, HD_MEND_LATER, "1111112222221");
	expect("aa1bb2bb2aa11", 1, 7, 10, HD_MEND_EARLIER, "2222221111111");
	/* One that another thread is in the middle of, and one that never ends. */
	expect("aa1b3b2aa11", 1, 5, 8, HD_MEND_LATER, "11111123221");
	expect("aa1bb", 1, 4, -1, HD_MEND_EARLIER, "22111");
}

static void other_thread_after(void **state)
{
	/* T3 keeps its place, between the two accesses, for it may be what T1 waits for. */
	expect("13221", 0, 2, 4, HD_MEND_AFTER, "13122");
	expect("12321", 0, 1, 4, HD_MEND_AFTER, "13122");
	expect("1221", 0, 2, 3, HD_MEND_AFTER, "1212");
	/* Its section as a whole, after the other one's. */
	expect("aa13bb2aa11", 1, 4, 7, HD_MEND_AFTER, "11131112221");
	/* There is no last access: after everything. */
	expect("1223", 0, 1, -1, HD_MEND_AFTER, "1322");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(torn_thread_first),
		cmocka_unit_test(other_thread_first),
		cmocka_unit_test(other_thread_after),
		cmocka_unit_test(critical_sections_stay_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
