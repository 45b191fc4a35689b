/*
 * Finding a pattern again in another run, against a slow search; and comparing runs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "campaign/same_run.h"
#include "campaign/sites.h"
#include "common/rng.h"
#include "trace/trace_text.h"
#include "trace/trace_writer.h"

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

/* The events of @t, as many as fit. */
static size_t events_of(struct hd_trace *t, struct hd_event *out, size_t max)
{
	const struct hd_event *ev;
	size_t n, all = 0;

	hd_trace_rewind(t);
	while (hd_trace_next(t, &ev, &n, NULL) == HD_OK && n)
		for (size_t i = 0; i < n && all < max; i++)
			out[all++] = ev[i];
	return all;
}

/* Lines get their numbers as they come up, so every run begins with all of them. */
#define LINES                                                                                      \
	"T1 fork T2\nT1 fork T3\nT1 read z 0 @a.c:1\nT1 read z 0 @a.c:3\nT1 write z 1 @a.c:2\n"

static const char observed[] =
	LINES "T1 read x 0 @a.c:1\nT1 read x 0 @a.c:3\nT2 write x 1 @a.c:2\n";

/* e1 = T1 at line 1, f = T2 at line 2, e2 = T1 at line 3. */
static struct hd_found wanted(struct hd_found_access accesses[3])
{
	static struct hd_event ev[16];
	struct hd_trace *t = trace_of(observed);
	size_t n = events_of(t, ev, 16), reads = 0;

	memset(accesses, 0, 3 * sizeof(*accesses));
	for (size_t i = n - 3; i < n; i++) {
		size_t k = ev[i].op == HD_OP_WRITE ? 1 : ev[i].op != HD_OP_READ ? 3 : reads++ * 2;

		if (k < 3)
			accesses[k] =
				(struct hd_found_access){ .role = "e", .index = i, .event = ev[i] };
	}
	hd_trace_close(t);
	return (struct hd_found){ .kind = HD_KIND_PATTERN,
				  .pattern = "RWR",
				  .group = -1,
				  .accesses = accesses,
				  .naccesses = 3 };
}

static bool is_line(const struct hd_event *ev, const struct hd_found *w, size_t k)
{
	return ev->pc == w->accesses[k].event.pc && ev->op == w->accesses[k].event.op;
}

/* All triples in order, e1 the last before f that no e2 of its thread follows before f. */
static bool slow(const struct hd_event *ev, size_t n, const struct hd_found *w)
{
	for (size_t i = 0; i < n; i++)
		for (size_t j = i + 1; j < n; j++)
			for (size_t k = j + 1; k < n; k++) {
				bool early = false;

				if (!is_line(&ev[i], w, 0) || !is_line(&ev[j], w, 1) ||
				    !is_line(&ev[k], w, 2) || ev[i].thread != ev[k].thread ||
				    ev[j].thread == ev[i].thread || ev[i].addr != ev[j].addr ||
				    ev[i].addr != ev[k].addr)
					continue;
				for (size_t m = i + 1; m < k; m++)
					early |= ev[m].thread == ev[i].thread &&
						 ((is_line(&ev[m], w, 2) &&
						   (m < j || ev[m].addr == ev[i].addr)) ||
						  is_line(&ev[m], w, 0));
				if (!early)
					return true;
			}
	return false;
}

static void test_against_slow(void **state)
{
	struct hd_found_access accesses[3];
	struct hd_found w = wanted(accesses);
	struct hd_rng rng;
	unsigned found_count = 0, rounds = 600;

	hd_rng_seed(&rng, 5);
	for (unsigned round = 0; round < rounds; round++) {
		char text[2000] = LINES;
		unsigned long x[2] = { 0, 0 };
		struct hd_event ev[64];
		struct hd_errbuf eb = { 0 };
		struct hd_sites sites;
		struct hd_trace *t;
		size_t n, at = strlen(text), len = 3 + hd_rng_below(&rng, 8);
		bool found;

		for (size_t i = 0; i < len; i++) {
			unsigned thread = 1 + (unsigned)hd_rng_below(&rng, 3);
			unsigned line = 1 + (unsigned)hd_rng_below(&rng, 3);
			unsigned v = hd_rng_below(&rng, 5) == 0;

			if (line == 2)
				x[v]++;
			at += (size_t)snprintf(text + at, sizeof(text) - at,
					       "T%u %s %c %lu @a.c:%u\n", thread,
					       line == 2 ? "write" : "read", "xy"[v], x[v], line);
		}
		t = trace_of(text);
		n = events_of(t, ev, 64);
		assert_int_equal(hd_sites_find(&sites, t, &w, &found, &eb), HD_OK);
		if ((found && sites.complete) != slow(ev, n, &w))
			fail_msg("seed 5, round %u:\n%s", round, text);
		if (found && sites.complete) {
			found_count++;
			for (size_t k = 0; k < 3; k++)
				assert_true(is_line(&ev[sites.accesses[k].index], &w, k));
			assert_true(sites.accesses[0].index < sites.accesses[1].index &&
				    sites.accesses[1].index < sites.accesses[2].index);
		}
		hd_sites_free(&sites);
		hd_trace_close(t);
	}
	assert_true(found_count > rounds / 50 && found_count < rounds);
}

static void test_locks_and_early_end(void **state)
{
	struct hd_found_access accesses[3];
	struct hd_found w = wanted(accesses);
	struct hd_errbuf eb = { 0 };
	struct hd_sites sites;
	struct hd_trace *t;
	bool found;

	/* The run ends before e2: what there is, with the locks held. */
	t = trace_of(LINES "T1 acquire m @a.c:9\nT1 read x 0 @a.c:1\nT1 release m @a.c:9\n"
			   "T2 acquire m @a.c:8\nT2 acquire n @a.c:7\nT2 write x 1 @a.c:2\n");
	assert_int_equal(hd_sites_find(&sites, t, &w, &found, &eb), HD_OK);
	assert_true(found);
	assert_false(sites.complete);
	assert_int_equal(sites.found.naccesses, 2);
	assert_int_equal(sites.accesses[0].nlocks, 1);
	assert_int_equal(sites.accesses[1].nlocks, 2);
	hd_sites_free(&sites);
	hd_trace_close(t);

	/* The thread has ended without e2. */
	t = trace_of(LINES "T2 read x 0 @a.c:1\nT2 thread-end\nT3 write x 1 @a.c:2\n");
	assert_int_equal(hd_sites_find(&sites, t, &w, &found, &eb), HD_OK);
	assert_false(found);
	hd_sites_free(&sites);
	hd_trace_close(t);

	/* e2 came before f: nothing was torn. */
	t = trace_of(observed);
	assert_int_equal(hd_sites_find(&sites, t, &w, &found, &eb), HD_OK);
	assert_false(found);
	hd_sites_free(&sites);
	hd_trace_close(t);
}

static void test_compare(void **state)
{
	struct hd_trace *a = trace_of(observed), *same = trace_of(observed);
	struct hd_trace *value = trace_of(LINES "T1 read x 0 @a.c:1\nT1 read x 0 @a.c:3\n"
						"T2 write x 2 @a.c:2\n");
	struct hd_trace *other = trace_of(LINES "T1 read x 0 @a.c:1\nT2 write x 1 @a.c:2\n"
						"T1 read x 1 @a.c:3\n");
	struct hd_trace *less = trace_of(LINES "T1 read x 0 @a.c:1\n");
	struct hd_difference d;

	hd_compare_runs(a, same, &d);
	assert_false(d.differs || d.in_value);
	hd_compare_runs(a, value, &d);
	assert_true(!d.differs && d.in_value);
	assert_int_equal(d.a.value, 1);
	assert_int_equal(d.b.value, 2);
	hd_compare_runs(a, other, &d);
	assert_true(d.differs && !d.in_value);
	assert_int_equal(d.a.thread, 1);
	assert_int_equal(d.b.thread, 2);
	hd_compare_runs(a, less, &d);
	assert_true(d.differs && d.a.op && !d.b.op);
	hd_trace_close(a);
	hd_trace_close(same);
	hd_trace_close(value);
	hd_trace_close(other);
	hd_trace_close(less);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_against_slow),
		cmocka_unit_test(test_locks_and_early_end),
		cmocka_unit_test(test_compare),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
