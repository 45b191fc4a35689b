/*
 * Heat that spreads over a plate: five-point sweeps from one array into the other, in bands of
 * rows, until nothing changes much or the sweeps are over.
 *
 *   heat_stencil [SWEEPS [WIDTH]]      the plate is square
 *
 * Shared: the arrays, a row for one writer; the largest change of a sweep, looked at and raised in
 * an isolated block.
 * --bug: it is looked at in one block and raised in another (a larger one gets lost).
 */
#include "task_bench.h"

#include <math.h>

#define BAND 16

static long sweeps = 1200, width = 1024;
static float *from, *to;
static float change; /* the largest of the sweep */

static float sweep_row(long y)
{
	const float *above = from + (y - 1) * width, *row = above + width, *below = row + width;
	float *out = to + y * width, most = 0;

	for (long x = 1; x < width - 1; x++) {
		float v = 0.25f * (above[x] + below[x] + row[x - 1] + row[x + 1]);
		float by = fabsf(v - row[x]);

		out[x] = v;
		most = by > most ? by : most;
	}
	return most;
}

static void sweep_band(long band, void *arg)
{
	long end = 1 + (band + 1) * BAND < width - 1 ? 1 + (band + 1) * BAND : width - 1;
	float most = 0, seen;

	(void)arg;
	for (long y = 1 + band * BAND; y < end; y++) {
		float by = sweep_row(y);

		most = by > most ? by : most;
	}
	isolated_begin(&change);
	seen = change;
	if (broken) {
		isolated_end(&change);
		isolated_begin(&change);
	}
	change = most > seen ? most : seen;
	isolated_end(&change);
}

static void root(void *arg)
{
	long bands = (width - 2 + BAND - 1) / BAND;

	(void)arg;
	for (long s = 0; s < sweeps; s++) {
		float *t = from;

		change = 0;
		for_blocks(bands, sweep_band, NULL);
		from = to;
		to = t;
		if (change < 1e-6f)
			break;
	}
}

int main(int argc, char **argv)
{
	long size[] = { sweeps, width };
	uint64_t sum;

	task_bench_args(argc, argv, size, 2);
	sweeps = size[0];
	width = size[1] < 3 ? 3 : size[1];
	from = task_bench_alloc(width * width, sizeof(*from));
	to = task_bench_alloc(width * width, sizeof(*to));
	for (long i = 0; i < width * width; i++)
		from[i] = to[i] = (float)(random_at(1, i) % 1000);
	launch(root);
	sum = bits_of(change);
	for (long i = 0; i < width * width; i++)
		sum += hash_of(i, bits_of(from[i]));
	return put_checksum(sum);
}
