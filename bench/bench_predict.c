/*
 * How many goals the prediction decides, and how fast.
 *
 *   bench_predict [PATTERNS [SECONDS]]
 *   bench_predict --long [EVENTS [PATTERNS]]
 *
 * Made-up runs of eight threads: critical sections under one of a few locks with accesses to
 * shared locations, and now and then one outside. In the first half of the table values are
 * counters, as in programs that count, link and fill; in the second there are four of them, so that a
 * read has many writes to choose from, which is harder than programs are.
 *
 * --long writes a trace of ten million events, reads it as `heddle predict` does, and shows memory.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/rng.h"
#include "predict/predict.h"
#include "predict/refine.h"
#include "predict/window.h"
#include "trace/trace_writer.h"

#define THREADS	  8u
#define LOCKS	  8u
#define LOCATIONS 40u
#define FEW	  4u /* values */
#define LONG	  10000000ul

struct maker {
	struct hd_rng rng;
	struct hd_instance *in;
	uint64_t memory[LOCATIONS];
	uint32_t owner[LOCKS]; /* thread + 1 */
	uint32_t holds[THREADS]; /* lock + 1 */
	bool counters;		 /* a write adds one to what is there; else any of a few values */
};

static void emit(struct maker *m, uint32_t t, uint8_t kind, uint32_t object, uint64_t value)
{
	struct hd_instance *in = m->in;

	in->steps[in->nsteps] = (struct hd_step){ .kind = kind, .thread = t, .object = object,
						  .value = value, .index = in->nsteps };
	in->nsteps++;
}

static void step(struct maker *m, uint32_t t)
{
	uint32_t l = (uint32_t)hd_rng_below(&m->rng, LOCKS);
	uint32_t x = (uint32_t)hd_rng_below(&m->rng, LOCATIONS);

	if (m->holds[t] && hd_rng_below(&m->rng, 6) == 0) {
		emit(m, t, HD_STEP_RELEASE, m->holds[t] - 1, 0);
		m->owner[m->holds[t] - 1] = 0;
		m->holds[t] = 0;
	} else if (!m->holds[t] && hd_rng_below(&m->rng, 4)) {
		if (m->owner[l])
			return;
		emit(m, t, HD_STEP_ACQUIRE, l, 0);
		m->owner[l] = t + 1;
		m->holds[t] = l + 1;
	} else {
		/* Each location belongs to a lock; most accesses are under it. */
		if (m->holds[t] && hd_rng_below(&m->rng, 10))
			x = (m->holds[t] - 1) + LOCKS * (x / LOCKS);
		if (hd_rng_below(&m->rng, 3)) {
			emit(m, t, HD_STEP_READ, x, m->memory[x]);
			return;
		}
		m->memory[x] = m->counters ? m->memory[x] + 1 : hd_rng_below(&m->rng, FEW);
		emit(m, t, HD_STEP_WRITE, x, m->memory[x]);
	}
}

static bool make_run(struct maker *m, struct hd_instance *in, size_t steps)
{
	*in = (struct hd_instance){ .nthreads = THREADS, .nlocations = LOCATIONS, .nlocks = LOCKS };
	in->steps = calloc(steps + 1, sizeof(*in->steps));
	in->init = calloc(LOCATIONS, sizeof(*in->init));
	if (!in->steps || !in->init)
		return false;
	m->in = in;
	while (in->nsteps < steps) {
		uint32_t t = (uint32_t)hd_rng_below(&m->rng, THREADS);
		uint64_t n = 1 + hd_rng_below(&m->rng, 12);

		for (; n && in->nsteps < steps; n--)
			step(m, t);
	}
	return true;
}

/* Two accesses of a thread to one location, not far apart, and one of another thread near them. */
static bool make_pattern(struct maker *m, const struct hd_instance *in, struct hd_step_goal *g)
{
	uint32_t e1 = (uint32_t)hd_rng_below(&m->rng, in->nsteps), e2 = e1, f;
	const struct hd_step *s = in->steps;

	if (s[e1].kind > HD_STEP_WRITE)
		return false;
	do {
		if (++e2 >= in->nsteps || e2 > e1 + 400)
			return false;
	} while (s[e2].kind > HD_STEP_WRITE || s[e2].thread != s[e1].thread ||
		 s[e2].object != s[e1].object);
	f = (uint32_t)((e1 > 200 ? e1 - 200 : 0) + hd_rng_below(&m->rng, 600));
	if (f >= in->nsteps || s[f].kind > HD_STEP_WRITE || s[f].object != s[e1].object ||
	    s[f].thread == s[e1].thread)
		return false;
	if (s[f].kind == HD_STEP_READ &&
	    (s[e1].kind == HD_STEP_READ || s[e2].kind == HD_STEP_READ))
		return false;
	*g = (struct hd_step_goal){ .order = { e1, f, e2 }, .norder = 3, .open_end = true };
	return true;
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

struct tally {
	int answers[3], direct; /* direct: without a decision */
	double *times, total;
	int n;
};

static void print_tally(const char *values, size_t steps, struct tally *t)
{
	qsort(t->times, (size_t)t->n, sizeof(*t->times), by_size);
	printf("%9zu %-8s %6d %9d %10d %8d %7d %10.3f %10.3f %10.3f\n", steps, values, t->n,
	       t->answers[HD_FEASIBLE], t->answers[HD_INFEASIBLE], t->answers[HD_UNDECIDED],
	       t->direct, 1e3 * t->times[t->n / 2], 1e3 * t->total / t->n,
	       1e3 * t->times[t->n - 1]);
	fflush(stdout);
}

static int measure(size_t steps, bool counters, int patterns, double seconds)
{
	struct hd_solve_options o = hd_solve_defaults;
	struct tally t = { .times = calloc((size_t)patterns, sizeof(*t.times)) };
	struct maker m = { .in = NULL, .counters = counters };
	struct hd_instance in;
	struct hd_prepared p;

	hd_rng_seed(&m.rng, 11 + steps);
	if (!t.times || !make_run(&m, &in, steps) || hd_prepare(&p, &in, NULL))
		return 1;
	o.max_seconds = seconds;
	while (t.n < patterns) {
		struct hd_solution s;
		struct hd_step_goal goal;

		if (!make_pattern(&m, &in, &goal))
			continue;
		if (hd_solve_growing(&p, &goal, &o, &s, NULL))
			return 1;
		t.answers[s.answer]++;
		t.direct += strcmp(s.why, "search") != 0;
		t.total += t.times[t.n++] = s.seconds;
		hd_solution_free(&s);
	}
	print_tally(counters ? "counters" : "few", steps, &t);
	hd_prepared_free(&p);
	hd_instance_free(&in);
	free(t.times);
	return 0;
}

/* --- the long one --- */

static double megabytes(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return (double)u.ru_maxrss / 1024;
}

/* The steps as events, one each, so that numbers of events are numbers of steps. */
static bool write_trace(const struct hd_instance *in, int fd)
{
	static const uint8_t ops[] = { HD_OP_READ, HD_OP_WRITE, HD_OP_ACQUIRE, HD_OP_RELEASE };
	const struct hd_trace_meta meta = { 0 };
	struct hd_trace_writer *w;
	bool ok = hd_trace_create_fd(&w, dup(fd), "memory", &meta, NULL) == HD_OK;

	for (size_t i = 0; ok && i < in->nsteps; i++) {
		const struct hd_step *s = &in->steps[i];
		bool lock = s->kind >= HD_STEP_ACQUIRE;
		struct hd_event ev = { .op = ops[s->kind], .thread = s->thread + 1,
				       .addr = (lock ? 0x2000 : 0x1000) + 8ull * s->object,
				       .size = lock ? 0 : 8, .value = s->value };

		ok = hd_trace_put(w, &ev) == HD_OK;
	}
	return ok && hd_trace_finish(w, NULL, NULL) == HD_OK;
}

static int measure_long(size_t events, int patterns)
{
	struct tally t = { .times = calloc((size_t)patterns, sizeof(*t.times)) };
	struct hd_predict_options o = { .seconds = 10 };
	struct maker m = { .in = NULL, .counters = true };
	struct hd_step_goal *goals = calloc((size_t)patterns, sizeof(*goals));
	struct hd_instance in;
	struct hd_predict *p;
	struct hd_trace *trace;
	char path[64];
	double began;
	int fd = memfd_create("trace", 0), made = 0;

	hd_rng_seed(&m.rng, 11 + events);
	if (!t.times || !goals || fd < 0 || !make_run(&m, &in, events) || !write_trace(&in, fd))
		return 1;
	while (made < patterns)
		made += make_pattern(&m, &in, &goals[made]);
	hd_instance_free(&in);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	began = hd_now();
	if (hd_trace_open(&trace, path, NULL) || hd_predict_new(&p, trace, NULL))
		return 1;
	printf("a trace of %zu events, %.1f MB, read in %.1f s\n", events,
	       (double)lseek(fd, 0, SEEK_END) / 1e6, hd_now() - began);
	for (; t.n < patterns; t.n++) {
		struct hd_goal goal = { .norder = 3, .open_end = true };
		struct hd_prediction out;

		for (size_t i = 0; i < 3; i++)
			goal.order[i] = goals[t.n].order[i];
		if (hd_predict_decide(p, &goal, &o, &out, NULL))
			return 1;
		t.answers[out.decision]++; /* in the order of enum hd_answer */
		t.direct += strcmp(out.why, "search") != 0;
		t.total += t.times[t.n] = out.seconds;
		hd_prediction_free(&out);
	}
	print_tally("counters", events, &t);
	printf("memory: %.0f MB, the made-up run (%.0f MB) and the trace included\n", megabytes(),
	       (double)events * sizeof(struct hd_step) / 1048576);
	hd_predict_free(p);
	hd_trace_close(trace);
	free(goals);
	free(t.times);
	return 0;
}

static void print_heads(void)
{
	printf("    steps values    goals  feasible infeasible  unknown  direct  median ms    "
	       "mean ms   worst ms\n");
}

int main(int argc, char **argv)
{
	static const size_t lengths[] = { 500, 1000, 5000, 60000 };
	bool is_long = argc > 1 && !strcmp(argv[1], "--long");
	int patterns = argc > 1 + 2 * is_long ? atoi(argv[1 + 2 * is_long]) : 100;
	double seconds = argc > 2 ? atof(argv[2]) : 10;

	if (patterns < 1)
		return 2;
	print_heads();
	if (is_long)
		return measure_long(argc > 2 ? strtoul(argv[2], NULL, 10) : LONG, patterns);
	for (size_t i = 0; i < 2 * sizeof(lengths) / sizeof(*lengths); i++)
		if (measure(lengths[i % 4], i < 4, patterns, seconds))
			return 1;
	return 0;
}
