/*
 * How fast the atomicity of blocks is judged, and how much memory it takes.
 *
 *   bench_atomicity [MILLIONS]
 *
 * Made-up runs of eight threads: short blocks under a lock with reads and writes of shared
 * and own memory, switches within blocks, once with nothing else and once with a block that
 * stays open from the start and that everything comes after. A table row for each, for a
 * quarter of the events and for all of them: memory must be the same in both.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "analysis/blocks/atomicity.h"
#include "common/rng.h"

#define THREADS 8u
#define POOL	(1u << 18) /* events made before the clock starts, and run over again */
#define SHARED	(1u << 14)

struct maker {
	struct hd_rng rng;
	struct hd_event *out;
	size_t n;
	uint32_t left[THREADS + 1]; /* events left in the thread's block; 0: outside */
};

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

static struct hd_event *emit(struct maker *m, uint32_t t, uint8_t op)
{
	m->out[m->n] = (struct hd_event){.op = op,
					 .thread = t,
					 .size = 8,
					 .ctx = 1,
					 .pc = 0x400000 + hd_rng_below(&m->rng, 200)};
	return &m->out[m->n++];
}

static void step(struct maker *m, uint32_t t)
{
	uint32_t lock = t % 16;

	if (!m->left[t]) {
		emit(m, t, HD_OP_BEGIN);
		emit(m, t, HD_OP_ACQUIRE)->addr = 0x1000 + 64 * lock;
		m->left[t] = 4 + (uint32_t)hd_rng_below(&m->rng, 12);
	} else if (--m->left[t] == 0) {
		emit(m, t, HD_OP_RELEASE)->addr = 0x1000 + 64 * lock;
		emit(m, t, HD_OP_END);
	} else {
		/* Mostly memory of its own, now and then of all, nearly always to read. */
		bool shared = hd_rng_below(&m->rng, 8) == 0;
		bool write = hd_rng_below(&m->rng, shared ? 64 : 3) == 0;
		uint64_t cell = hd_rng_below(&m->rng, SHARED);

		emit(m, t, write ? HD_OP_WRITE : HD_OP_READ)->addr =
		    0x100000 + 8 * cell + (shared ? 0 : (uint64_t)t << 24);
	}
}

static size_t make(struct hd_event *out)
{
	struct maker m = {.out = out};

	hd_rng_seed(&m.rng, 7);
	while (m.n < POOL - 4 * THREADS) {
		uint32_t t = 1 + (uint32_t)hd_rng_below(&m.rng, THREADS);

		/* A slice of a few events, as threads run. */
		for (uint64_t k = 1 + hd_rng_below(&m.rng, 20); k; k--)
			step(&m, t);
	}
	for (uint32_t t = 1; t <= THREADS; t++) {
		while (m.left[t] && m.n < POOL)
			step(&m, t);
	}
	return m.n;
}

static void measure(const char *name, const struct hd_event *ev, size_t n, uint64_t events,
		    bool long_block)
{
	static const struct hd_event begin = {.op = HD_OP_BEGIN, .thread = THREADS + 1};
	struct hd_event write = {.op = HD_OP_WRITE, .thread = THREADS + 1, .size = 8};
	struct hd_atomicity_stats stats;
	struct hd_atomicity *a;
	struct rusage usage;
	double start;

	if (hd_atomicity_new(&a, &(struct hd_blocks_options){0}))
		exit(1);
	if (long_block) {
		hd_atomicity_event(a, &begin, HD_NO_INDEX);
		for (unsigned i = 0; i < SHARED; i++) {
			write.addr = 0x100000 + 8 * i;
			hd_atomicity_event(a, &write, HD_NO_INDEX);
		}
	}
	start = now();
	for (uint64_t i = 0; i < events; i++) {
		if (hd_atomicity_event(a, &ev[i % n], HD_NO_INDEX))
			exit(1);
	}
	start = now() - start;
	hd_atomicity_stats(a, &stats);
	getrusage(RUSAGE_SELF, &usage);
	printf("%-22s %8.1f M events %8.1f M/s %9" PRIu64 " records %7" PRIu64 " nodes %9" PRIu64
	       " torn %6ld MB at most\n",
	       name, (double)events / 1e6, (double)events / 1e6 / start, stats.records, stats.nodes,
	       stats.torn, usage.ru_maxrss / 1024);
	hd_atomicity_free(a);
}

int main(int argc, char **argv)
{
	uint64_t events = (argc > 1 ? strtoull(argv[1], NULL, 0) : 20) * 1000000;
	struct hd_event *ev = malloc(POOL * sizeof(*ev));
	size_t n = ev ? make(ev) : 0;

	if (!n)
		return 1;
	measure("short blocks", ev, n, events / 4, false);
	measure("short blocks", ev, n, events, false);
	measure("and one long block", ev, n, events / 4, true);
	measure("and one long block", ev, n, events, true);
	free(ev);
	return 0;
}
