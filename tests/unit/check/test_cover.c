/*
 * Patterns that a run shows in passing, for many candidates at once, against the search for one at a time.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "campaign/sites.h"
#include "check/steps.h"
#include "common/rng.h"
#include "trace/trace_text.h"
#include "trace/trace_writer.h"

#define SITES 4 /* two that read, two that write */

static struct hd_trace *trace_of(const char *text)
{
	const struct hd_trace_meta meta = { 0 };
	struct hd_errbuf eb = { 0 };
	struct hd_trace_writer *w;
	struct hd_trace *t;
	char path[64];
	int fd = memfd_create("trace", 0);

	assert_int_equal(hd_trace_create_fd(&w, dup(fd), "memory", &meta, NULL), HD_OK);
	if (hd_text_import(text, strlen(text), "run", w, &eb))
		fail_msg("%s\n%s", eb.text, text);
	assert_int_equal(hd_trace_finish(w, NULL, &eb), HD_OK);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	assert_int_equal(hd_trace_open(&t, path, &eb), HD_OK);
	close(fd);
	return t;
}

/* Lines and variables get their numbers as they come up, so every run begins with all of them. */
#define FIRST                                                                                      \
	"T1 fork T2\nT1 fork T3\nT1 read x 0 @a.c:1\nT1 read x 0 @a.c:2\nT1 write x 0 @a.c:3\n"    \
	"T1 write x 0 @a.c:4\nT1 read y 0 @a.c:9\n"

struct sites {
	struct hd_event at[SITES];
};

static bool note_site(void *arg, const struct hd_event *ev, uint64_t index)
{
	struct sites *s = arg;

	if ((ev->op == HD_OP_READ || ev->op == HD_OP_WRITE) && index >= 2 && index < 2 + SITES)
		s->at[index - 2] = *ev;
	return true;
}

/* All patterns of e1 and e2 by one thread and f by another one. */
struct patterns {
	struct hd_found_access accesses[SITES * SITES * SITES][3];
	struct hd_candidate candidates[SITES * SITES * SITES];
	struct hd_attempt attempts[SITES * SITES * SITES];
};

static void make(struct patterns *p)
{
	struct hd_trace *t = trace_of(FIRST);
	struct sites s;

	memset(p, 0, sizeof(*p));
	assert_true(hd_trace_each(t, note_site, &s));
	hd_trace_close(t);
	for (size_t i = 0; i < SITES * SITES * SITES; i++) {
		const size_t site[3] = { i % SITES, i / SITES % SITES, i / SITES / SITES };

		for (int k = 0; k < 3; k++) {
			p->accesses[i][k].event = s.at[site[k]];
			p->accesses[i][k].event.thread = k == 1 ? 2 : 1;
		}
		p->candidates[i].found = (struct hd_found){ .kind = HD_KIND_PATTERN,
							    .pattern = "RWR",
							    .group = -1,
							    .accesses = p->accesses[i],
							    .naccesses = 3 };
		p->attempts[i].candidate = &p->candidates[i];
	}
}

static void cover(struct patterns *p, struct hd_trace *t)
{
	struct hd_campaign c = { .attempts = p->attempts, .nattempts = SITES * SITES * SITES };
	struct hd_trial trial = { .trace = t };

	assert_int_equal(hd_check_cover(&c, &trial), HD_OK);
}

static bool shows(struct hd_trace *t, const struct hd_found *wanted)
{
	struct hd_errbuf eb = { 0 };
	struct hd_sites sites;
	bool found, complete;

	assert_int_equal(hd_sites_find(&sites, t, wanted, &found, &eb), HD_OK);
	complete = found && sites.complete;
	hd_sites_free(&sites);
	return complete;
}

/* What is covered is there for whoever looks for it alone, and most of what is there is covered. */
static void the_run_shows_what_is_covered(void **state)
{
	static struct patterns p;
	struct hd_rng rng;
	size_t covered = 0, shown = 0;

	hd_rng_seed(&rng, 7);
	for (int round = 0; round < 300; round++) {
		char text[2000] = FIRST;
		struct hd_trace *t;

		for (int i = 0; i < 12; i++) {
			unsigned site = (unsigned)hd_rng_below(&rng, SITES) + 1;
			char line[40];

			snprintf(line, sizeof(line), "T%u %s %c 0 @a.c:%u\n",
				 (unsigned)hd_rng_below(&rng, 3) + 1, site < 3 ? "read" : "write",
				 hd_rng_below(&rng, 4) ? 'x' : 'y', site);
			strcat(text, line);
		}
		t = trace_of(text);
		make(&p);
		cover(&p, t);
		for (size_t i = 0; i < SITES * SITES * SITES; i++) {
			bool there = shows(t, &p.candidates[i].found);

			if (p.attempts[i].covered && !there)
				fail_msg("pattern %zu is not in\n%s", i, text);
			assert_int_equal(p.attempts[i].covered, p.attempts[i].reached);
			covered += p.attempts[i].covered;
			shown += there;
		}
		hd_trace_close(t);
	}
	assert_true(covered > 1000);
	assert_true(covered * 10 >= shown * 9);
}

/* Line 1 by T1, line 3 by T2, line 2 by T1: RWR; in any other order, or on other memory, it is none. */
static void one_by_hand(void **state)
{
	const size_t rwr = 0 + SITES * 2 + SITES * SITES * 1;
	const struct {
		const char *run;
		bool covered;
	} runs[] = {
		{ "T2 read x 0 @a.c:1\nT3 write x 0 @a.c:3\nT2 read x 0 @a.c:2\n", true },
		{ "T2 read x 0 @a.c:1\nT2 read x 0 @a.c:2\nT3 write x 0 @a.c:3\n", false },
		{ "T2 read x 0 @a.c:1\nT2 write x 0 @a.c:3\nT2 read x 0 @a.c:2\n", false },
		{ "T2 read x 0 @a.c:1\nT3 write y 0 @a.c:3\nT2 read x 0 @a.c:2\n", false },
		{ "T2 read x 0 @a.c:1\nT3 write x 0 @a.c:3\nT3 read x 0 @a.c:2\n", false },
	};

	for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
		static struct patterns p;
		char text[1000];
		struct hd_trace *t;

		snprintf(text, sizeof(text), FIRST "%s", runs[i].run);
		t = trace_of(text);
		make(&p);
		cover(&p, t);
		assert_int_equal(p.attempts[rwr].covered, runs[i].covered);
		hd_trace_close(t);
	}
}

/* Where a block was declared, or it has its verdict, another run changes nothing. */
static void only_open_patterns_are_covered(void **state)
{
	const size_t rwr = 0 + SITES * 2 + SITES * SITES * 1;
	struct hd_trace *t =
		trace_of(FIRST "T2 read x 0 @a.c:1\nT3 write x 0 @a.c:3\nT2 read x 0 @a.c:2\n");
	static struct patterns p;

	make(&p);
	p.candidates[rwr].declared = true;
	cover(&p, t);
	assert_false(p.attempts[rwr].covered);
	make(&p);
	p.attempts[rwr].decided = true;
	cover(&p, t);
	assert_false(p.attempts[rwr].covered);
	hd_trace_close(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_run_shows_what_is_covered),
		cmocka_unit_test(one_by_hand),
		cmocka_unit_test(only_open_patterns_are_covered),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
