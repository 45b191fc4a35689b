/*
 * Atomicity of blocks: against the graph of transactions on random runs, the patterns each
 * with a serializable twin, what counts as a conflict, and memory over long runs.
 */
#include "../trace/trace_fixture.h"

#include "analysis/atomicity.h"
#include "random_run.h"
#include "trace/trace_text.h"
#include "velodrome.h"

#define RANDOM_RUNS 150000u
#define MAX_EVENTS  40u
#define MAX_FOUND   256u
#define MAX_CYCLE   64u

struct verdict {
	size_t n;
	struct finding {
		char pattern[4];
		uint64_t addr, merged;
		uint32_t size;
		size_t naccesses;
		uint64_t at[MAX_CYCLE];
		const char *roles[MAX_CYCLE];
		bool cut;
	} found[MAX_FOUND];
	struct hd_atomicity_stats stats;
};

static void take(void *arg, const struct hd_found *f)
{
	struct verdict *v = arg;
	struct finding *to = &v->found[v->n++];

	assert_true(v->n <= MAX_FOUND && f->naccesses <= MAX_CYCLE);
	assert_int_equal(f->kind, HD_FOUND_ATOMICITY);
	assert_int_equal(f->group, -1);
	snprintf(to->pattern, sizeof(to->pattern), "%s", f->pattern ? f->pattern : "");
	to->addr = f->addr;
	to->size = f->size;
	to->merged = f->merged;
	to->naccesses = f->naccesses;
	to->cut = f->why != NULL;
	for (size_t i = 0; i < f->naccesses; i++) {
		to->at[i] = f->accesses[i].index;
		to->roles[i] = f->accesses[i].role;
	}
}

static void analyse_with(struct verdict *v, const struct hd_event *ev, size_t n,
			 const struct hd_blocks_options *opt)
{
	struct hd_atomicity *a;

	v->n = 0;
	assert_int_equal(hd_atomicity_new(&a, opt), HD_OK);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(hd_atomicity_event(a, &ev[i], i), HD_OK);
	hd_atomicity_report(a, take, v);
	hd_atomicity_stats(a, &v->stats);
	hd_atomicity_free(a);
}

static void analyse(struct verdict *v, const struct hd_event *ev, size_t n)
{
	analyse_with(v, ev, n, &(struct hd_blocks_options){ 0 });
}

/* ---- against the graph -------------------------------------------------------------- */

static size_t first_event(const struct verdict *v)
{
	return v->n ? v->found[0].at[v->found[0].naccesses - 1] : VELODROME_NONE;
}

/* What is wrong with the analysis of this run; NULL: nothing. */
static const char *disagreement(const struct hd_event *ev, size_t n)
{
	static struct velodrome graph;
	static struct verdict v;

	velodrome(&graph, ev, n);
	analyse(&v, ev, n);
	if (first_event(&v) != graph.first)
		return "another event tears a block first";
	for (size_t i = 0; i < v.n; i++) {
		size_t at[MAX_CYCLE];

		for (size_t k = 0; k < v.found[i].naccesses; k++)
			at[k] = (size_t)v.found[i].at[k];
		if (v.found[i].cut || !velodrome_is_cycle(&graph, at, v.found[i].naccesses))
			return "the accesses reported are no cycle";
		if (v.found[i].pattern[0] && v.found[i].naccesses != 3)
			return "a pattern of other than three accesses";
	}
	return NULL;
}

/* Leave out events as long as the disagreement stays; returns how many are left. */
static size_t shrink(struct hd_event *ev, size_t n)
{
	for (size_t i = 0; i < n;) {
		struct hd_event less[MAX_EVENTS];

		memcpy(less, ev, i * sizeof(*ev));
		memcpy(less + i, ev + i + 1, (n - i - 1) * sizeof(*ev));
		if (disagreement(less, n - 1)) {
			memcpy(ev, less, --n * sizeof(*ev));
			i = 0;
		} else {
			i++;
		}
	}
	return n;
}

static void print_run(const struct hd_event *ev, size_t n)
{
	static struct velodrome graph;
	static struct verdict v;

	for (size_t i = 0; i < n; i++)
		print_message("%3zu T%u %s addr %#llx size %u value %llu arg %u\n", i, ev[i].thread,
			      hd_op_info[ev[i].op].name, (unsigned long long)ev[i].addr, ev[i].size,
			      (unsigned long long)ev[i].value, ev[i].arg);
	velodrome(&graph, ev, n);
	analyse(&v, ev, n);
	print_message("graph: %zd, analysis: %zd\n", (ssize_t)graph.first,
		      (ssize_t)first_event(&v));
	for (size_t i = 0; i < v.n; i++) {
		print_message("finding:");
		for (size_t k = 0; k < v.found[i].naccesses; k++)
			print_message(" %llu", (unsigned long long)v.found[i].at[k]);
		print_message("\n");
	}
}

static void agree(const struct hd_event *ev, size_t n)
{
	const char *what = disagreement(ev, n);

	if (what) {
		struct hd_event less[MAX_EVENTS];

		memcpy(less, ev, n * sizeof(*ev));
		n = shrink(less, n);
		print_message("%s:\n", disagreement(less, n));
		print_run(less, n);
		fail();
	}
}

static void random_runs(void **state)
{
	uint64_t torn = 0, whole = 0;
	struct hd_rng rng;

	hd_rng_seed(&rng, test_seed());
	for (unsigned i = 0; i < RANDOM_RUNS; i++) {
		struct random_run rr = random_run_options(&rng, MAX_EVENTS);
		struct hd_event ev[MAX_EVENTS];
		size_t n;

		/* Ranges over pages that are partly freed may be missed: see the test of that. */
		rr.frees &= !rr.ranges;
		n = random_run(&rng, &rr, ev);
		agree(ev, n);
		static struct velodrome graph;
		velodrome(&graph, ev, n);
		if (graph.first == VELODROME_NONE)
			whole++;
		else
			torn++;
	}
	print_message("%llu torn, %llu serializable\n", (unsigned long long)torn,
		      (unsigned long long)whole);
	/* Both verdicts must be tried in earnest. */
	assert_true(torn > RANDOM_RUNS / 10 && whole > RANDOM_RUNS / 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_runs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
