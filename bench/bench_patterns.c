/*
 * How fast three-access patterns and lock cycles are looked for, and how much memory it takes.
 *
 * The events are made up: threads that update shared counters under locks, a table with a lock
 * for each stripe, an array that each reads and writes its own part of, and a
 * condition that all poll.
 *
 *   bench_patterns [MILLIONS] [LOCATIONS]
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "analysis/blocks/patterns.h"
#include "analysis/locks/lock_graph.h"
#include "common/rng.h"

#define THREADS 8
#define STRIPES 64
#define BATCH	8192u

struct maker {
	struct hd_rng rng;
	struct hd_event out[BATCH + 64];
	size_t n;
	uint64_t locations;
};

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

static void emit(struct maker *m, uint32_t thread, uint8_t op, uint64_t addr, uint64_t pc)
{
	m->out[m->n++] = (struct hd_event){ .addr = addr, .pc = pc, .thread = thread, .op = op,
					    .size = op < HD_OP_ACQUIRE ? 8 : 0 };
}

static void update_counter(struct maker *m, uint32_t t)
{
	emit(m, t, HD_OP_ACQUIRE, 0x1000, 1);
	emit(m, t, HD_OP_READ, 0x10000, 2);
	emit(m, t, HD_OP_WRITE, 0x10000, 3);
	emit(m, t, HD_OP_RELEASE, 0x1000, 4);
}

static void update_table(struct maker *m, uint32_t t)
{
	uint64_t entry = hd_rng_below(&m->rng, m->locations), lock = 0x2000 + entry % STRIPES * 64;

	emit(m, t, HD_OP_READ, 0x10040, 5);
	emit(m, t, HD_OP_ACQUIRE, lock, 6);
	emit(m, t, HD_OP_READ, 0x100000 + entry * 16, 7);
	emit(m, t, HD_OP_WRITE, 0x100000 + entry * 16 + 8, 8);
	emit(m, t, HD_OP_WRITE, 0x100000 + entry * 16, 9);
	emit(m, t, HD_OP_RELEASE, lock, 10);
}

static void own_part(struct maker *m, uint32_t t)
{
	uint64_t base = 0x80000000ull + t * 0x100000, at = hd_rng_below(&m->rng, 4096) * 8;

	for (unsigned i = 0; i < 16; i++) {
		emit(m, t, HD_OP_READ, base + (at + i * 8) % 32768, 11);
		emit(m, t, HD_OP_WRITE, base + (at + i * 8) % 32768, 12);
	}
}

static void poll_flag(struct maker *m, uint32_t t)
{
	for (unsigned i = 0; i < 16; i++)
		emit(m, t, HD_OP_READ, 0x10080, 13);
	if (!hd_rng_below(&m->rng, 100))
		emit(m, t, HD_OP_WRITE, 0x10080, 14);
}

static void next_batch(struct maker *m)
{
	m->n = 0;
	while (m->n < BATCH) {
		uint32_t t = 1 + (uint32_t)hd_rng_below(&m->rng, THREADS);

		switch (hd_rng_below(&m->rng, 4)) {
		case 0:
			update_counter(m, t);
			break;
		case 1:
			update_table(m, t);
			break;
		case 2:
			own_part(m, t);
			break;
		default:
			poll_flag(m, t);
			break;
		}
	}
}

static void count(void *arg, const struct hd_found *found)
{
	(void)found;
	(*(unsigned *)arg)++;
}

static long peak_mib(void)
{
	struct rusage ru;

	getrusage(RUSAGE_SELF, &ru);
	return ru.ru_maxrss / 1024;
}

typedef enum hd_err feed_fn(void *analysis, const struct hd_event *events, size_t n,
			    uint64_t first);

static enum hd_err feed_patterns(void *a, const struct hd_event *ev, size_t n, uint64_t first)
{
	return hd_patterns_feed(a, ev, n, first);
}

static enum hd_err feed_learn(void *a, const struct hd_event *ev, size_t n, uint64_t first)
{
	(void)first;
	return hd_patterns_learn(a, ev, n);
}

static enum hd_err feed_graph(void *a, const struct hd_event *ev, size_t n, uint64_t first)
{
	return hd_lock_graph_feed(a, ev, n, first);
}

/* Only the analysis is timed, not the making of events. */
static double run(feed_fn *feed, void *analysis, uint64_t locations, uint64_t events)
{
	static struct maker m;
	double total = 0;

	hd_rng_seed(&m.rng, 1);
	m.locations = locations;
	for (uint64_t done = 0; done < events; done += m.n) {
		double start;

		next_batch(&m);
		start = now();
		if (feed(analysis, m.out, m.n, done) != HD_OK)
			abort();
		total += now() - start;
	}
	return total;
}

int main(int argc, char **argv)
{
	uint64_t millions = argc > 1 ? strtoull(argv[1], NULL, 10) : 10;
	uint64_t locations = argc > 2 ? strtoull(argv[2], NULL, 10) : 10000;
	unsigned found = 0, cycles = 0;
	struct hd_patterns *one = hd_patterns_new(NULL, count, &found), *two;
	struct hd_lock_graph *g = hd_lock_graph_new(count, &cycles);
	double single, first, second, graph, end;

	if (!one || !g || !millions || !locations)
		return 2;
	graph = run(feed_graph, g, locations, millions * 1000000);
	printf("lock graph:           %6.1f M events/s\n", (double)millions / graph);
	single = run(feed_patterns, one, locations, millions * 1000000);
	end = now();
	if (hd_patterns_finish(one) != HD_OK || hd_lock_graph_finish(g) != HD_OK)
		return 3;
	end = now() - end;
	printf("patterns, one pass:   %6.1f M events/s, then %.3f s; %u patterns\n",
	       (double)millions / single, end, found);
	printf("peak memory:          %6ld MiB for %" PRIu64 " locations\n", peak_mib(), locations);
	hd_patterns_free(one);
	two = hd_patterns_new(NULL, count, &found);
	if (!two)
		return 2;
	first = run(feed_learn, two, locations, millions * 1000000);
	second = run(feed_patterns, two, locations, millions * 1000000);
	printf("patterns, two passes: %6.1f and %.1f M events/s\n", (double)millions / first,
	       (double)millions / second);
	hd_patterns_free(two);
	hd_lock_graph_free(g);
	return 0;
}
