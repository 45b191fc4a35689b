/*
 * Findings about accesses, wherever they come from: how they are named, told, merged,
 * suppressed and compared with a baseline.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "report/explain.h"
#include "report/found_model.h"
#include "report/source_lines.h"
#include "sample_run.h"

static char *text_of(struct sample *s, bool all)
{
	const struct hd_report_info info = { .judged = s->judged, .all = all };
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	assert_int_equal(hd_report_text(out, &s->run, &info), HD_OK);
	fclose(out);
	return text;
}

static void expect_part(struct sample *s, bool all, const char *part)
{
	char *text = text_of(s, all);

	if (!strstr(text, part))
		fail_msg("'%s' is not in:\n%s", part, text);
	free(text);
}

/* ---- suppressions ------------------------------------------------------------- */

static void patterns(void **state)
{
	static const struct {
		const char *pattern, *text;
		bool matches;
	} cases[] = {
		{ "posit", "deposit", true },
		{ "^posit", "deposit", false },
		{ "^dep", "deposit", true },
		{ "posit$", "deposit", true },
		{ "depo$", "deposit", false },
		{ "^deposit$", "deposit", true },
		{ "^deposit$", "deposits", false },
		{ "d*t", "deposit", true },
		{ "^d*t$", "deposit two", false },
		{ "^*a*b*c$", "xaxxbbc", true },
		{ "^a*b$", "acbcb", true },
		{ "*", "", true },
		{ "x", "", false },
		{ "^$", "", true },
		{ "^$", "a", false },
		{ "a*b*c", "ab", false },
		{ "slots[3]", "slots[3].key", true },
		{ "a.c", "abc", false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (hd_pattern_matches(cases[i].pattern, cases[i].text) != cases[i].matches)
			fail_msg("'%s' and '%s'", cases[i].pattern, cases[i].text);
	}
}

static void expect_refused(const char *text, const char *message)
{
	struct hd_suppressions *s;
	struct hd_errbuf eb = { 0 };

	assert_int_equal(hd_suppressions_parse(&s, text, strlen(text), "f.supp", &eb),
			 HD_ERR_PARSE);
	assert_null(s);
	assert_string_equal(eb.text, message);
}

static void wrong_lines_are_named(void **state)
{
	expect_refused("# fine\nrace:x\nhello\n", "f.supp: line 3 has no ':'; write type:pattern");
	expect_refused("race:", "f.supp: line 1 has no pattern after the ':'");
	expect_refused(
		"\nraces:x",
		"f.supp: line 2 does not begin with one of race, extended-race, "
		"atomicity, order, goal, deadlock, livelock, crash, assertion, exit, misuse, "
		"memory, permission, sharing");
}

static struct hd_suppressions *parse(const char *text)
{
	struct hd_suppressions *s;

	assert_int_equal(hd_suppressions_parse(&s, text, strlen(text), "f", NULL), HD_OK);
	return s;
}

/* How many findings still count with @line in force. */
static size_t left_with(struct sample *s, const char *line)
{
	struct hd_suppressions *rules = parse(line);
	struct hd_judgement j = hd_judge(&s->run, rules, NULL, false);

	assert_int_equal(hd_run_faults(&s->run), j.findings);
	hd_suppressions_free(rules);
	return j.findings;
}

static void suppressed_by_whatever_is_told(void **state)
{
	struct sample s;

	sample_race(&s);
	assert_int_equal(s.judged.findings, 1);
	assert_int_equal(left_with(&s, "race:audit"), 0);	   /* the last access */
	assert_int_equal(left_with(&s, "race:^deposit$"), 0);	   /* the one before */
	assert_int_equal(left_with(&s, "race:^worker$"), 0);	   /* a caller */
	assert_int_equal(left_with(&s, "race:src/*.c$"), 0);	   /* a file */
	assert_int_equal(left_with(&s, "race:^/home/*/bank$"), 0); /* a module */
	assert_int_equal(left_with(&s, "race:^counter$"), 0);	   /* the variable */
	assert_int_equal(left_with(&s, "  race:audit\t\r\n# end"), 0);
	assert_int_equal(left_with(&s, "race:transfer"), 1); /* only took a lock */
	assert_int_equal(left_with(&s, "deadlock:audit"), 1);
	assert_int_equal(left_with(&s, ""), 1);
	sample_free(&s);
}

static void unused_ones_are_told(void **state)
{
	struct hd_suppressions *rules = parse("race:nobody\nrace:audit\nrace:deposit\ncrash:audit");
	struct sample s;

	sample_race(&s);
	assert_int_equal(hd_judge(&s.run, rules, NULL, false).suppressed,
			 2); /* with the candidate */
	assert_string_equal(hd_suppressions_unused(rules, 0), "race:nobody");
	assert_string_equal(hd_suppressions_unused(rules, 1), "crash:audit");
	assert_null(hd_suppressions_unused(rules, 2));
	sample_free(&s);
	hd_suppressions_free(rules);
}

static void expect_generated_to_suppress(struct sample *s)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	hd_put_suppression(out, &s->run, &s->run.findings[0]);
	fclose(out);
	assert_int_equal(left_with(s, text), 0);
	free(text);
}

static void generated_lines_suppress(void **state)
{
	struct sample s;

	sample_race(&s);
	expect_generated_to_suppress(&s);
	sample_free(&s);
	sample_hostile_race(&s);
	expect_generated_to_suppress(&s);
	sample_free(&s);
	sample_abba(&s, NULL);
	expect_generated_to_suppress(&s);
	sample_free(&s);
}

/* ---- baselines ---------------------------------------------------------------- */

static struct hd_baseline *baseline(const char *text)
{
	struct hd_baseline *b;
	struct hd_errbuf eb = { 0 };

	if (hd_baseline_parse(&b, text, strlen(text), "old.json", &eb) != HD_OK)
		fail_msg("%s", eb.text);
	return b;
}

static void baseline_keeps_the_ids_of_findings(void **state)
{
	struct hd_baseline *b = baseline(
		"{\"version\": 1, \"id\": \"0000000000000001\", \"findings\": [\n"
		" {\"accesses\": [{\"id\": \"0000000000000002\"}], \"id\": \"00000000000000aa\"},\n"
		" {\"id\": \"00000000000000bb\", \"x\": [1, -2e3, true, null, \"\\u0041\\\"\"]}],\n"
		" \"candidates\": [{\"id\": \"0000000000000003\"}]}");

	assert_true(hd_baseline_has(b, "00000000000000aa"));
	assert_true(hd_baseline_has(b, "00000000000000bb"));
	assert_false(hd_baseline_has(b, "0000000000000001"));
	assert_false(hd_baseline_has(b, "0000000000000002"));
	assert_false(hd_baseline_has(b, "0000000000000003"));
	hd_baseline_free(b);
	assert_false(hd_baseline_has(NULL, "00000000000000aa"));
}

static void what_is_no_baseline_is_refused(void **state)
{
	static const char *const wrong[] = {
		"",
		"[]",
		"{",
		"{\"findings\": []}",
		"{\"version\": 1}",
		"hello",
		"{\"version\": 1, \"findings\": {}}",
		"{\"version\": 1, \"findings\": [3]}",
		"{\"version\": 1, \"findings\": [{\"id\": 3}]}",
		"{\"version\": 1, \"findings\": [{\"id\": \"xyz\"}]}",
		"{\"version\": 1, \"findings\": []} more",
		"{\"version\": 1, \"findings\": [}",
		"{\"version\": \"\\q\", \"findings\": []}",
		"{\"version\": \"1",
	};
	char deep[400];
	struct hd_baseline *b;
	struct hd_errbuf eb;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		eb.text[0] = 0;
		if (hd_baseline_parse(&b, wrong[i], strlen(wrong[i]), "old.json", &eb) !=
		    HD_ERR_PARSE)
			fail_msg("accepted: %s", wrong[i]);
		assert_non_null(strstr(eb.text, "old.json"));
	}
	memset(deep, '[', sizeof(deep));
	assert_int_equal(hd_baseline_parse(&b, deep, sizeof(deep), "f", NULL), HD_ERR_PARSE);
}

static void known_findings_do_not_count(void **state)
{
	char document[128];
	struct hd_baseline *b;
	struct sample s;

	sample_race(&s);
	snprintf(document, sizeof(document), "{\"version\": 1, \"findings\": [{\"id\": \"%s\"}]}",
		 s.run.findings[0].identity.id);
	b = baseline(document);
	s.judged = hd_judge(&s.run, NULL, b, false);
	assert_int_equal(s.judged.findings, 0);
	assert_int_equal(s.judged.known, 1);
	assert_int_equal(hd_run_faults(&s.run), 0);
	expect_part(&s, false,
		    "HEDDLE: known: data race on 'counter' (happens-before), "
		    "bank.c:41 in audit\nheddle: no new findings in this run (");
	expect_part(&s, false, "\nheddle: 1 finding known from the baseline\n");
	hd_baseline_free(b);
	sample_free(&s);
}

/* ---- fingerprints and merging --------------------------------------------------- */

/* The id of a race told by the runtime, of a run in which nothing else happened. */
static void race_id(const struct sample_race *r, char out[17])
{
	struct sample s;

	sample_begin(&s);
	sample_contexts(&s);
	sample_fork(&s, 1, 2, NULL);
	sample_fork(&s, 1, 3, NULL);
	sample_tell_race(&s, r);
	sample_end(&s, 1, 0);
	memcpy(out, s.run.findings[0].identity.id, 17);
	sample_free(&s);
}

static const struct sample_race usual = {
	.kind = HD_KIND_RACE,
	.addr = COUNTER,
	.first = 1,
	.second = 2,
	.first_op = HD_OP_WRITE,
	.second_op = HD_OP_READ,
	.first_pc = PC_WRITE,
	.second_pc = PC_READ,
};

static void same_fault_same_id(void **state)
{
	struct sample_race other = usual;
	char id[17], again[17];

	race_id(&usual, id);
	fake_line_shift = 10;
	race_id(&usual, again);
	fake_line_shift = 0;
	assert_string_equal(id, again);
	other.second = 3;
	race_id(&other, again);
	assert_string_equal(id, again);
	/* In another schedule the other one comes first. */
	other = (struct sample_race){ .kind = HD_KIND_RACE,
				      .addr = COUNTER,
				      .first = 3,
				      .second = 1,
				      .first_op = HD_OP_READ,
				      .second_op = HD_OP_WRITE,
				      .first_pc = PC_READ,
				      .second_pc = PC_WRITE };
	race_id(&other, again);
	assert_string_equal(id, again);
	other.kind = HD_KIND_LOCKSET; /* locks hid it this time */
	race_id(&other, again);
	assert_string_equal(id, again);
}

/* On a variable with a name any pair of its accesses is the same fault; else the code decides. */
static void other_fault_other_id(void **state)
{
	struct sample_race other[4] = { usual, usual, usual, usual };
	char ids[5][17];

	other[0].addr = HOSTILE;
	race_id(&usual, ids[4]);
	race_id(&other[0], ids[0]);
	assert_string_not_equal(ids[4], ids[0]);
	for (int named = 1; named >= 0; named--) {
		for (int i = 1; i < 4; i++) {
			other[i] = usual;
			other[i].addr = named ? COUNTER : NAMELESS;
		}
		other[1].first_pc = PC_LOCK_A;
		other[2].second_op = HD_OP_WRITE;
		other[3].second_pc = PC_WRITE;
		for (int i = 1; i < 4; i++)
			race_id(&other[i], ids[i]);
		for (int i = 1; i < 5; i++) {
			for (int k = 1; k < i; k++)
				assert_int_equal(!strcmp(ids[i], ids[k]), named);
		}
	}
}

static void repetitions_are_merged(void **state)
{
	struct sample_race maybe = usual;
	struct sample s;

	maybe.kind = HD_KIND_LOCKSET;
	sample_begin(&s);
	sample_contexts(&s);
	sample_fork(&s, 1, 2, NULL);
	sample_tell_race(&s, &maybe);
	sample_tell_race(&s, &usual);
	sample_tell_race(&s, &usual);
	sample_tell_race(&s, &usual);
	sample_end(&s, 1, 0);
	assert_int_equal(s.run.nfindings, 1);
	assert_false(s.run.findings[0].certainty.candidate);
	assert_int_equal(s.run.findings[0].merged, 2);
	assert_int_equal(s.judged.candidates, 0);
	expect_part(&s, false, "\n  And 2 more like this one.\n");
	sample_free(&s);
}

/* Two lines of one function are two faults, if what they are on has no name; their ids follow the order of the lines. */
static void lines_tell_apart(void **state)
{
	struct sample_race sooner = usual, later = usual;
	char first[17], second[17];

	sooner.addr = later.addr = NAMELESS;
	later.second_pc = PC_READ_MORE;
	race_id(&sooner, first);
	for (int swap = 0; swap < 2; swap++) {
		const struct hd_finding *f;
		struct sample s;

		fake_line_shift = swap ? 100 : 0;
		sample_begin(&s);
		sample_contexts(&s);
		sample_fork(&s, 1, 2, NULL);
		sample_tell_race(&s, swap ? &later : &sooner);
		sample_tell_race(&s, swap ? &sooner : &later);
		sample_end(&s, 1, 0);
		assert_int_equal(s.judged.findings, 2);
		f = s.run.findings;
		assert_string_equal(f[swap].identity.id, first);
		assert_string_not_equal(f[!swap].identity.id, first);
		if (swap)
			assert_string_equal(f[0].identity.id, second);
		memcpy(second, f[!swap].identity.id, 17);
		sample_free(&s);
	}
	fake_line_shift = 0;
}

/* All pairs on one variable are one finding, which lists them; what is possible is among them. */
static void races_of_one_variable_are_one(void **state)
{
	struct sample_race writes = usual, maybe = usual, elsewhere = usual;
	struct sample s;
	char id[17];

	race_id(&usual, id);
	writes.second_op = HD_OP_WRITE;
	writes.second_pc = PC_WRITE;
	maybe.kind = HD_KIND_LOCKSET;
	maybe.second_pc = PC_READ_MORE;
	elsewhere.addr = HOSTILE;
	sample_begin(&s);
	sample_contexts(&s);
	sample_fork(&s, 1, 2, NULL);
	sample_tell_race(&s, &maybe);
	sample_tell_race(&s, &usual);
	sample_tell_race(&s, &elsewhere);
	sample_tell_race(&s, &writes);
	sample_end(&s, 1, 0);
	assert_int_equal(s.judged.findings, 2);
	assert_int_equal(s.judged.candidates, 0);
	assert_string_equal(s.run.findings[0].identity.id, id);
	assert_int_equal(s.run.findings[0].nothers, 2);
	assert_int_equal(s.run.findings[1].nothers, 0);
	expect_part(&s, false, "  2 more ways in which accesses meet on it:\n");
	expect_part(
		&s, false,
		"    read of 'counter' at bank.c:43 in audit by T2, after write of 'counter' at "
		"bank.c:18 in deposit by T1 (possible: not tried)\n");
	expect_part(
		&s, false,
		"    write of 'counter' at bank.c:18 in deposit by T2, after write of 'counter' "
		"at bank.c:18 in deposit by T1\n");
	sample_free(&s);
}

/* A pair that is suppressed does not take the others with it, nor do they show it. */
static void suppressed_pairs_stay_apart(void **state)
{
	struct hd_suppressions *rules = parse("race:audit");
	struct sample_race writes = usual;
	struct sample s;
	char id[17];

	race_id(&usual, id);
	writes.second_op = HD_OP_WRITE;
	writes.second_pc = PC_WRITE;
	sample_begin(&s);
	sample_contexts(&s);
	sample_fork(&s, 1, 2, NULL);
	sample_tell_race(&s, &usual);
	sample_tell_race(&s, &writes);
	sample_read(&s);
	assert_int_equal(hd_run_complete(&s.run, NULL), HD_OK);
	s.judged = hd_judge(&s.run, rules, NULL, false);
	assert_int_equal(s.judged.findings, 1);
	assert_int_equal(s.judged.suppressed, 1);
	for (size_t i = 0; i < 2; i++) {
		const struct hd_finding *f = &s.run.findings[i];

		assert_int_equal(f->nothers, 0);
		/* What counts has the id, whether or not something is suppressed. */
		assert_int_equal(!strcmp(f->identity.id, id), !f->identity.suppression);
	}
	sample_free(&s);
	hd_suppressions_free(rules);
}

/* What was not tried is not harmless, and one pair that was not is enough. */
static void harmless_if_all_pairs_are(void **state)
{
	static const struct {
		enum hd_harm harm[2];
		bool tolerated;
	} cases[] = {
		{ { HD_HARM_NONE, HD_HARM_VALUES }, true },
		{ { HD_HARM_VALUES, HD_HARM_VALUES }, true },
		{ { HD_HARM_NONE, HD_HARM_UNTOLD }, false },
		{ { HD_HARM_UNKNOWN, HD_HARM_VALUES }, false },
		{ { HD_HARM_NONE, HD_HARM_FAILS }, false },
	};
	struct sample_race writes = usual;

	writes.second_op = HD_OP_WRITE;
	writes.second_pc = PC_WRITE;
	for (size_t i = 0; i < 2 * sizeof(cases) / sizeof(cases[0]); i++) {
		bool harmful = i % 2; /* --fail-on */
		struct sample s;

		sample_begin(&s);
		sample_contexts(&s);
		sample_fork(&s, 1, 2, NULL);
		sample_tell_race(&s, &usual);
		sample_tell_race(&s, &writes);
		sample_read(&s);
		assert_int_equal(hd_run_complete(&s.run, NULL), HD_OK);
		for (size_t k = 0; k < 2; k++)
			s.run.findings[k].consequence.harm = cases[i / 2].harm[k];
		s.judged = hd_judge(&s.run, NULL, NULL, harmful);
		assert_int_equal(s.judged.tolerated, harmful && cases[i / 2].tolerated);
		assert_int_equal(s.judged.findings, !(harmful && cases[i / 2].tolerated));
		assert_int_equal(hd_run_faults(&s.run), s.judged.findings);
		/* What does most harm is told in full. */
		for (size_t k = 0; k < 2; k++)
			assert_true(s.run.findings[0].consequence.harm >= cases[i / 2].harm[k]);
		sample_free(&s);
	}
}

static void candidates_are_no_findings(void **state)
{
	struct sample_race maybe = usual;
	struct sample s;

	maybe.kind = HD_KIND_LOCKSET;
	sample_begin(&s);
	sample_contexts(&s);
	sample_fork(&s, 1, 2, NULL);
	sample_tell_race(&s, &maybe);
	sample_end(&s, 1, 0);
	assert_int_equal(hd_run_faults(&s.run), 0);
	expect_part(&s, false,
		    "heddle: no findings in this run (2 threads)\n"
		    "heddle: 1 candidate not confirmed; --all lists them\n");
	expect_part(&s, true, "HEDDLE: possible data race on 'counter' (lockset)\n");
	sample_free(&s);
}

static void program_may_crash_after_a_race(void **state)
{
	struct sample s;

	sample_begin(&s);
	sample_contexts(&s);
	sample_fork(&s, 1, 2, NULL);
	sample_tell_race(&s, &usual);
	sample_end(&s, 0, 11);
	assert_int_equal(s.run.nfindings, 2);
	assert_int_equal(s.run.findings[1].kind, HD_KIND_CRASH);
	sample_free(&s);
}

/* ---- what analyses found --------------------------------------------------------- */

/* Put an event and keep it as an access of role @role. */
static struct hd_found_access put(struct sample *s, uint64_t *index, const char *role,
				  struct hd_event ev)
{
	sample_put(s, ev);
	return (struct hd_found_access){ .role = role, .index = (*index)++, .event = ev };
}

static struct hd_event lock_event(uint32_t thread, uint64_t addr, uint64_t pc)
{
	return (struct hd_event){ .op = HD_OP_ACQUIRE, .thread = thread, .addr = addr, .pc = pc };
}

static struct hd_event access_event(unsigned op, uint32_t thread, uint64_t addr, uint64_t value)
{
	return (struct hd_event){ .op = (uint8_t)op,
				  .thread = thread,
				  .addr = addr,
				  .size = 4,
				  .value = value,
				  .pc = op == HD_OP_READ ? PC_READ : PC_WRITE };
}

static void start(struct sample *s, uint64_t *index)
{
	sample_begin(s);	    /* two events */
	sample_fork(s, 1, 2, NULL); /* two more */
	*index = 4;
}

static void cycle_of_locks(void **state)
{
	struct hd_found_access a[4];
	struct hd_found found = { .kind = HD_KIND_LOCK_ORDER,
				  .addr = LOCK_A,
				  .group = -1,
				  .accesses = a,
				  .naccesses = 4 };
	uint64_t index;
	struct sample s;

	start(&s, &index);
	a[0] = put(&s, &index, "holds", lock_event(1, LOCK_A, PC_LOCK_A));
	a[1] = put(&s, &index, "wants", lock_event(1, LOCK_B, PC_LOCK_B));
	a[2] = put(&s, &index, "holds", lock_event(2, LOCK_B, PC_LOCK_A));
	a[3] = put(&s, &index, "wants", lock_event(2, LOCK_A, PC_LOCK_B));
	sample_read(&s);
	assert_int_equal(hd_run_add_found(&s.run, &found), HD_OK);
	sample_complete(&s);
	assert_int_equal(hd_run_faults(&s.run), 0);
	expect_part(&s, true,
		    "HEDDLE: possible deadlock: T1 holds mutex 'a' and wants mutex 'b', "
		    "T2 holds mutex 'b' and wants mutex 'a'\n"
		    "  T1 holds mutex 'a', taken at:\n"
		    "    #0 transfer src/bank.c:13\n"
		    "\n"
		    "  T1 wants mutex 'b', at:\n"
		    "    #0 transfer src/bank.c:14\n");
	expect_part(&s, true, "\nSUMMARY: heddle: possible deadlock bank.c:13 in transfer\n");
	sample_free(&s);
}

/* A block is torn: e1 and e2 of T1, f of T2. */
static void torn_block(struct sample *s, enum hd_kind kind)
{
	struct hd_found_access a[3];
	struct hd_found found = { .kind = kind,
				  .addr = COUNTER,
				  .size = 4,
				  .group = -1,
				  .pattern = "RWW",
				  .accesses = a,
				  .naccesses = 3 };
	uint64_t index;

	start(s, &index);
	a[0] = put(s, &index, "e1", access_event(HD_OP_READ, 1, COUNTER, 0));
	a[1] = put(s, &index, "f", access_event(HD_OP_WRITE, 2, COUNTER, 7));
	a[2] = put(s, &index, "e2", access_event(HD_OP_WRITE, 1, COUNTER, 1));
	sample_read(s);
	assert_int_equal(hd_run_add_found(&s->run, &found), HD_OK);
	if (kind == HD_KIND_ATOMICITY) {
		found.kind = HD_KIND_PATTERN; /* the same, as something possible */
		assert_int_equal(hd_run_add_found(&s->run, &found), HD_OK);
	}
	sample_complete(s);
}

static void torn_blocks(void **state)
{
	struct sample s;

	torn_block(&s, HD_KIND_ATOMICITY);
	assert_int_equal(hd_run_faults(&s.run), 1);
	assert_int_equal(s.judged.candidates, 0);
	expect_part(&s, false,
		    "HEDDLE: atomicity violation on 'counter' (RWW)\n"
		    "  Read of size 4 at 'counter', value 0 by T1 (e1):\n"
		    "    #0 audit src/bank.c:41\n"
		    "\n"
		    "  Write of size 4 at 'counter', value 7 by T2 (f):\n");
	expect_part(&s, false,
		    "       T1                          T2\n"
		    "     * read counter 0 bank.c:41\n"
		    "   ->                            * write counter 7 bank.c:18\n"
		    "   ->* write counter 1 bank.c:18\n");
	sample_free(&s);
	torn_block(&s, HD_KIND_PATTERN);
	assert_int_equal(hd_run_faults(&s.run), 0);
	expect_part(&s, true, "HEDDLE: possible atomicity violation on 'counter' (RWW)\n");
	sample_free(&s);
}

/* The block at the time of the race, not the one that was there before or after. */
static void heap_block(void **state)
{
	struct hd_found_access a[2];
	struct hd_found found = { .kind = HD_KIND_RACE,
				  .addr = HEAP + 8,
				  .size = 4,
				  .group = -1,
				  .accesses = a,
				  .naccesses = 2 };
	struct hd_event alloc = {
		.op = HD_OP_ALLOC, .thread = 1, .addr = HEAP, .value = 99, .pc = PC_IN_MAIN
	};
	struct hd_event freed = { .op = HD_OP_FREE, .thread = 1, .addr = HEAP };
	uint64_t index;
	struct sample s;

	start(&s, &index);
	put(&s, &index, "", alloc);
	put(&s, &index, "", freed);
	alloc.value = 24;
	alloc.pc = PC_ALLOC;
	put(&s, &index, "", alloc);
	a[0] = put(&s, &index, "first", access_event(HD_OP_WRITE, 1, HEAP + 8, 1));
	a[1] = put(&s, &index, "second", access_event(HD_OP_READ, 2, HEAP + 8, 1));
	put(&s, &index, "", freed);
	alloc.value = 77;
	put(&s, &index, "", alloc);
	sample_read(&s);
	assert_int_equal(hd_run_add_found(&s.run, &found), HD_OK);
	sample_complete(&s);
	expect_part(&s, false,
		    "HEDDLE: data race on heap block of 24 bytes allocated at "
		    "account.h:5 in make_account, offset 8 (happens-before)\n"
		    "  Read of size 4, value 1 by T2:\n");
	expect_part(&s, false,
		    "\n  Location is offset 8 of a heap block of 24 bytes allocated by "
		    "T1 at:\n    #0 make_account src/account.h:5 (inlined)\n"
		    "    #1 main src/bank.c:27\n");
	sample_free(&s);
}

static void addresses_are_explained(void **state)
{
	static const struct {
		uint64_t addr;
		const char *words;
	} cases[] = {
		{ 0x0effffffff00, "data race on stack of T1 (happens-before)" },
		{ 0x2000, "data race on memory of bank at 0x1000 in it (happens-before)" },
		{ 0x7fff0000, "data race on memory at 0x7fff0000 (no variable; a recorded run "
			      "would show where it is from) (happens-before)" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sample_race r = usual;
		struct sample s;

		r.addr = cases[i].addr;
		sample_begin(&s);
		sample_contexts(&s);
		sample_tell_race(&s, &r);
		sample_end(&s, 1, 0);
		expect_part(&s, false, cases[i].words);
		sample_free(&s);
	}
}

/* Of a long stretch the two ends are shown. */
static void long_interleavings_are_cut(void **state)
{
	struct hd_found_access a[2];
	struct hd_found found = { .kind = HD_KIND_RACE,
				  .addr = COUNTER,
				  .size = 4,
				  .group = -1,
				  .accesses = a,
				  .naccesses = 2 };
	uint64_t index;
	struct sample s;

	start(&s, &index);
	a[0] = put(&s, &index, "first", access_event(HD_OP_WRITE, 1, COUNTER, 1));
	for (unsigned i = 0; i < 50; i++) {
		struct hd_event ev = lock_event(1, LOCK_A, PC_LOCK_A);

		put(&s, &index, "", ev);
		ev.op = HD_OP_RELEASE;
		put(&s, &index, "", ev);
	}
	a[1] = put(&s, &index, "second", access_event(HD_OP_READ, 2, COUNTER, 1));
	sample_read(&s);
	assert_int_equal(hd_run_add_found(&s.run, &found), HD_OK);
	sample_complete(&s);
	/* 102 events, 10 at each end. */
	assert_int_equal(s.run.findings[0].interleaving.nsteps, 20);
	assert_int_equal(s.run.findings[0].interleaving.steps[10].skipped, 82);
	assert_true(s.run.findings[0].interleaving.steps[0].is_access);
	assert_true(s.run.findings[0].interleaving.steps[19].is_access);
	assert_true(s.run.findings[0].interleaving.steps[19].switched);
	expect_part(&s, false, "\n       ... 82 more ...\n");
	sample_free(&s);
}

static void many_threads_are_named_on_each_line(void **state)
{
	struct hd_found_access a[5];
	struct hd_found found = { .kind = HD_KIND_ATOMICITY,
				  .addr = COUNTER,
				  .size = 4,
				  .group = -1,
				  .accesses = a,
				  .naccesses = 5 };
	uint64_t index;
	struct sample s;

	start(&s, &index);
	for (uint32_t i = 0; i < 5; i++)
		a[i] = put(&s, &index, "other", access_event(HD_OP_WRITE, i + 1, COUNTER, i));
	sample_read(&s);
	assert_int_equal(hd_run_add_found(&s.run, &found), HD_OK);
	sample_complete(&s);
	expect_part(&s, false,
		    "     * T1 write counter 0 bank.c:18\n"
		    "   ->* T2 write counter 1 bank.c:18\n");
	sample_free(&s);
}

/* ---- source lines ------------------------------------------------------------------ */

static void source_lines(void **state)
{
	char folder[] = "/tmp/heddle-source-XXXXXX", source[64], module[64], fifo[64], line[16];
	struct hd_frame frame = { .file = source, .line = 2 };
	const struct timespec times[2] = { { .tv_sec = 100 }, { .tv_sec = 100 } };
	FILE *out;

	assert_non_null(mkdtemp(folder));
	snprintf(source, sizeof(source), "%s/a.c", folder);
	snprintf(module, sizeof(module), "%s/a", folder);
	snprintf(fifo, sizeof(fifo), "%s/fifo", folder);
	out = fopen(source, "w");
	fputs("int x;\n\t  x = x\t+ 1;  \n\nvery long line it is\nlast", out);
	fclose(out);
	assert_true(hd_source_line(&frame, line, sizeof(line)));
	assert_string_equal(line, "x = x + 1;");
	frame.line = 4;
	assert_true(hd_source_line(&frame, line, sizeof(line)));
	assert_string_equal(line, "very long line"); /* and a blank, which is taken off */
	frame.line = 5;
	assert_true(hd_source_line(&frame, line, sizeof(line)));
	assert_string_equal(line, "last");
	frame.line = 3; /* there is nothing on it */
	assert_false(hd_source_line(&frame, line, sizeof(line)));
	frame.line = 6;
	assert_false(hd_source_line(&frame, line, sizeof(line)));
	frame.line = 0;
	assert_false(hd_source_line(&frame, line, sizeof(line)));

	/* A program that is older than its source was built from something else. */
	frame.line = 5;
	frame.module = module;
	assert_true(hd_source_line(&frame, line, sizeof(line))); /* the module is gone */
	fclose(fopen(module, "w"));
	assert_true(hd_source_line(&frame, line, sizeof(line)));
	assert_int_equal(utimensat(-100, module, times, 0), 0);
	assert_false(hd_source_line(&frame, line, sizeof(line)));

	/* Would wait for ever. */
	assert_int_equal(mkfifo(fifo, 0600), 0);
	frame = (struct hd_frame){ .file = fifo, .line = 1 };
	assert_false(hd_source_line(&frame, line, sizeof(line)));
	unlink(fifo);
	unlink(module);
	unlink(source);
	rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(patterns),
		cmocka_unit_test(wrong_lines_are_named),
		cmocka_unit_test(suppressed_by_whatever_is_told),
		cmocka_unit_test(unused_ones_are_told),
		cmocka_unit_test(generated_lines_suppress),
		cmocka_unit_test(baseline_keeps_the_ids_of_findings),
		cmocka_unit_test(what_is_no_baseline_is_refused),
		cmocka_unit_test(known_findings_do_not_count),
		cmocka_unit_test(same_fault_same_id),
		cmocka_unit_test(other_fault_other_id),
		cmocka_unit_test(repetitions_are_merged),
		cmocka_unit_test(lines_tell_apart),
		cmocka_unit_test(races_of_one_variable_are_one),
		cmocka_unit_test(suppressed_pairs_stay_apart),
		cmocka_unit_test(harmless_if_all_pairs_are),
		cmocka_unit_test(candidates_are_no_findings),
		cmocka_unit_test(program_may_crash_after_a_race),
		cmocka_unit_test(cycle_of_locks),
		cmocka_unit_test(torn_blocks),
		cmocka_unit_test(heap_block),
		cmocka_unit_test(addresses_are_explained),
		cmocka_unit_test(long_interleavings_are_cut),
		cmocka_unit_test(many_threads_are_named_on_each_line),
		cmocka_unit_test(source_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
