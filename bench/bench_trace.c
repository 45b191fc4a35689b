/*
 * How fast traces are written and read, and how small they are.
 *
 * The events are made up to look like three kinds of work, mixed: a matrix product
 * (strided reads of doubles that never repeat), a walk along a list (pointers and
 * small fields), a hash table under locks (scattered small updates, switches).
 *
 *   bench_trace [MILLIONS] [FILE]
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/rng.h"
#include "trace/trace_reader.h"
#include "trace/trace_writer.h"

#define POOL  (1u << 20) /* events made before the clock starts */
#define NODES 4096u
#define CELLS 65536u

struct maker {
	struct hd_rng rng;
	struct hd_event *out;
	size_t n;
	uint32_t thread;
	uint64_t values[CELLS];
};

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

static void emit(struct maker *m, uint8_t op, uint64_t pc, uint64_t addr, uint32_t size,
		 uint64_t value)
{
	if (m->n < POOL)
		m->out[m->n++] = (struct hd_event){ .addr = addr,
						    .value = value,
						    .pc = pc,
						    .ctx = 1,
						    .thread = m->thread,
						    .size = size,
						    .op = op };
}

static uint64_t random_double(struct maker *m)
{
	double d = (double)hd_rng_next(&m->rng) / 1e12;
	uint64_t bits;

	memcpy(&bits, &d, sizeof(bits));
	return bits;
}

static void matrix_row(struct maker *m, const uint64_t *matrix)
{
	uint64_t row = hd_rng_below(&m->rng, 64), col = hd_rng_below(&m->rng, 64);

	for (uint64_t k = 0; k < 64; k++) {
		uint64_t a = row * 64 + k, b = 4096 + k * 64 + col;

		emit(m, HD_OP_READ, 0x401010, 0x7000000 + a * 8, 8, matrix[a]);
		emit(m, HD_OP_READ, 0x401018, 0x7000000 + b * 8, 8, matrix[b]);
	}
	emit(m, HD_OP_WRITE, 0x401020, 0x7100000 + (row * 64 + col) * 8, 8, random_double(m));
}

static void list_walk(struct maker *m, const uint32_t *next)
{
	uint32_t at = (uint32_t)hd_rng_below(&m->rng, NODES);

	for (int i = 0; i < 64; i++) {
		uint64_t node = 0x555500000000 + at * 48ull;

		emit(m, HD_OP_READ, 0x402010, node + 8, 4, at * 7 % 1000);
		emit(m, HD_OP_READ, 0x402018, node, 8, 0x555500000000 + next[at] * 48ull);
		at = next[at];
	}
}

static void hash_update(struct maker *m)
{
	for (int i = 0; i < 16; i++) {
		uint64_t cell = hd_rng_below(&m->rng, CELLS), addr = 0x600000000 + cell * 16;

		emit(m, HD_OP_ACQUIRE, 0x403010, 0x500000 + cell % 16 * 40, 0, 0);
		emit(m, HD_OP_READ, 0x403018, addr, 4, m->values[cell]);
		m->values[cell]++;
		emit(m, HD_OP_WRITE, 0x403020, addr, 4, m->values[cell]);
		emit(m, HD_OP_RELEASE, 0x403028, 0x500000 + cell % 16 * 40, 0, 0);
	}
}

static struct hd_event *make_pool(void)
{
	struct maker *m = calloc(1, sizeof(*m));
	uint64_t *matrix = calloc(8192, sizeof(*matrix));
	uint32_t *next = calloc(NODES, sizeof(*next));
	struct hd_event *out = calloc(POOL, sizeof(*out));

	if (!m || !matrix || !next || !out)
		exit(3);
	m->out = out;
	hd_rng_seed(&m->rng, 1);
	for (int i = 0; i < 8192; i++)
		matrix[i] = random_double(m);
	for (uint32_t i = 0; i < NODES; i++)
		next[i] = (uint32_t)hd_rng_below(&m->rng, NODES);
	while (m->n < POOL) {
		m->thread = 1 + (uint32_t)hd_rng_below(&m->rng, 4);
		switch (hd_rng_below(&m->rng, 3)) {
		case 0:
			matrix_row(m, matrix);
			break;
		case 1:
			list_walk(m, next);
			break;
		default:
			hash_update(m);
		}
	}
	free(m);
	free(matrix);
	free(next);
	return out;
}

static int fail(const struct hd_errbuf *eb)
{
	fprintf(stderr, "bench_trace: %s\n", eb->text);
	return 3;
}

static int write_trace(const char *path, const struct hd_event *pool, uint64_t events)
{
	struct hd_trace_meta meta = { 0 };
	struct hd_trace_writer *w;
	struct hd_errbuf eb;

	if (hd_trace_create(&w, path, &meta, &eb))
		return fail(&eb);
	for (uint64_t i = 0; i < events; i++)
		hd_trace_put(w, &pool[i % POOL]);
	return hd_trace_finish(w, &(struct hd_trace_end){ 1, 0, 0 }, &eb) ? fail(&eb) : 0;
}

static int read_trace(const char *path, uint64_t *events, uint64_t *sum)
{
	struct hd_trace *t;
	struct hd_errbuf eb;
	const struct hd_event *batch;
	size_t n;

	*events = 0;
	if (hd_trace_open(&t, path, &eb))
		return fail(&eb);
	do {
		if (hd_trace_next(t, &batch, &n, &eb))
			return fail(&eb);
		for (size_t i = 0; i < n; i++)
			*sum += batch[i].addr ^ batch[i].value;
		*events += n;
	} while (n);
	hd_trace_close(t);
	return 0;
}

int main(int argc, char **argv)
{
	uint64_t events = (argc > 1 ? strtoull(argv[1], NULL, 10) : 32) * 1000000, got, sum = 0;
	const char *path = argc > 2 ? argv[2] : "/tmp/heddle-bench.htr";
	struct hd_event *pool = make_pool();
	double start = now(), written, read;
	struct stat st;
	int bad = write_trace(path, pool, events);

	written = now() - start;
	start = now();
	bad = bad || read_trace(path, &got, &sum);
	read = now() - start;
	free(pool);
	if (bad || stat(path, &st) != 0 || got != events)
		return 3;
	if (argc <= 2)
		unlink(path);
	printf("events %" PRIu64
	       "  bytes/event %.2f  write %.1f Mev/s  read %.1f Mev/s  (sum %" PRIx64 ")\n",
	       events, (double)st.st_size / (double)events, (double)events / written / 1e6,
	       (double)events / read / 1e6, sum);
	return 0;
}
