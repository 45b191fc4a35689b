/*
 * How many goals the prediction decides, and how fast.
 *
 *   bench_predict [PATTERNS [SECONDS]]
 *
 * Made-up runs of eight threads: critical sections under one of a few locks with accesses to
 * shared locations, and now and then one outside. Small values, so that a read has many
 * writes to choose from. A table row for each length of run.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/rng.h"
#include "predict/window.h"

#define THREADS	  8u
#define LOCKS	  8u
#define LOCATIONS 40u
#define VALUES	  4u

struct maker {
	struct hd_rng rng;
	struct hd_instance *in;
	uint64_t memory[LOCATIONS];
	uint32_t owner[LOCKS]; /* thread + 1 */
	uint32_t holds[THREADS]; /* lock + 1 */
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
		if (hd_rng_below(&m->rng, 3) == 0)
			emit(m, t, HD_STEP_WRITE, x, m->memory[x] = hd_rng_below(&m->rng, VALUES));
		else
			emit(m, t, HD_STEP_READ, x, m->memory[x]);
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
static bool make_pattern(struct maker *m, const struct hd_instance *in, struct hd_goal *g)
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
	*g = (struct hd_goal){ .order = { e1, f, e2 }, .norder = 3, .open_end = true };
	return true;
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static int measure(size_t steps, int patterns, double seconds)
{
	struct hd_solve_options o = hd_solve_defaults;
	double *times = calloc((size_t)patterns, sizeof(*times)), total = 0;
	int answers[3] = { 0 }, direct = 0, search = 0;
	struct maker m = { .in = NULL };
	struct hd_instance in;
	struct hd_prepared p;

	hd_rng_seed(&m.rng, 11 + steps);
	if (!times || !make_run(&m, &in, steps) || hd_prepare(&p, &in, NULL))
		return 1;
	o.max_seconds = seconds;
	for (int i = 0; i < patterns;) {
		struct hd_solution s;
		struct hd_goal goal;

		if (!make_pattern(&m, &in, &goal))
			continue;
		if (hd_solve_growing(&p, &goal, &o, &s, NULL))
			return 1;
		answers[s.answer]++;
		direct += strcmp(s.why, "search") != 0;
		search += !strcmp(s.why, "search");
		total += times[i++] = s.seconds;
		hd_solution_free(&s);
	}
	qsort(times, (size_t)patterns, sizeof(*times), by_size);
	printf("%9zu %9d %9d %10d %9d %8d %8d %10.3f %10.3f %10.3f\n", steps, patterns,
	       answers[HD_FEASIBLE], answers[HD_INFEASIBLE], answers[HD_UNDECIDED], direct, search,
	       1e3 * times[patterns / 2], 1e3 * total / patterns, 1e3 * times[patterns - 1]);
	fflush(stdout);
	hd_prepared_free(&p);
	hd_instance_free(&in);
	free(times);
	return 0;
}

int main(int argc, char **argv)
{
	static const size_t lengths[] = { 500, 1000, 5000, 60000 };
	int patterns = argc > 1 ? atoi(argv[1]) : 100;
	double seconds = argc > 2 ? atof(argv[2]) : 10;

	if (patterns < 1)
		return 2;
	printf("    steps  patterns  feasible infeasible undecided   direct   search  median ms    "
	       "mean ms   worst ms\n");
	for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++)
		if (measure(lengths[i], patterns, seconds))
			return 1;
	return 0;
}
