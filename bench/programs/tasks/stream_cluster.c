/*
 * k-median clustering by local search: one point after the other is tried as a new centre, and
 * opened if that saves more than it costs. What it would save is summed up by blocks of points.
 *
 *   stream_cluster [CANDIDATES [POINTS]]
 *
 * Shared: what a candidate saves, in units of 2^-20, added to in an isolated block by each task;
 * each point's centre and distance, which belong to one task at a time.
 * --bug: what it saves is read and written in two blocks (an update gets lost).
 */
#include "task_bench.h"

#include <math.h>

#define DIM 16
#define BLOCK 2000

struct member {
	int centre;
	float distance;
};

static long candidates = 16000, points = 20000;
static float (*coordinates)[DIM];
static struct member *members;
static uint64_t saved;
static long opened = 1;

static float distance(const float *a, const float *b)
{
	float sum = 0;

	for (int d = 0; d < DIM; d++)
		sum += (a[d] - b[d]) * (a[d] - b[d]);
	return sum;
}

static long block_end(long block)
{
	return (block + 1) * BLOCK < points ? (block + 1) * BLOCK : points;
}

static void weigh(long block, void *arg)
{
	const float *candidate = coordinates[*(const long *)arg];
	uint64_t sum = 0;

	for (long i = block * BLOCK; i < block_end(block); i++) {
		float d = distance(coordinates[i], candidate);

		if (d < members[i].distance)
			sum += (uint64_t)((members[i].distance - d) * 0x1p20f);
	}
	add_isolated(&saved, sum);
}

static void move_over(long block, void *arg)
{
	long candidate = *(const long *)arg;

	for (long i = block * BLOCK; i < block_end(block); i++) {
		float d = distance(coordinates[i], coordinates[candidate]);

		if (d < members[i].distance)
			members[i] = (struct member){ (int)candidate, d };
	}
}

static void root(void *arg)
{
	long blocks = (points + BLOCK - 1) / BLOCK;
	uint64_t cost = (uint64_t)points << 20 >> 6;

	(void)arg;
	for (long i = 0; i < points; i++)
		members[i] = (struct member){ 0, distance(coordinates[i], coordinates[0]) };
	for (long c = 0; c < candidates; c++) {
		long candidate = (long)(random_at(2, c) % points);

		saved = 0;
		for_blocks(blocks, weigh, &candidate);
		if (saved > cost) {
			opened++;
			for_blocks(blocks, move_over, &candidate);
		}
	}
}

int main(int argc, char **argv)
{
	long size[] = { candidates, points };
	uint64_t sum;

	task_bench_args(argc, argv, size, 2);
	candidates = size[0];
	points = size[1];
	coordinates = task_bench_alloc(points, sizeof(*coordinates));
	members = task_bench_alloc(points, sizeof(*members));
	for (long i = 0; i < points; i++) {
		for (int d = 0; d < DIM; d++)
			coordinates[i][d] = (float)uniform_at(1, i * DIM + d);
	}
	launch(root);
	sum = opened;
	for (long i = 0; i < points; i++)
		sum += hash_of(i, members[i].centre);
	return put_checksum(sum);
}
