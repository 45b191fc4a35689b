/*
 * Lloyd's k-means in integers: every block of points finds the nearest centres and adds what it
 * has to the new ones, under an isolated block for each centre.
 *
 *   k_means [ROUNDS [POINTS [CENTRES]]]
 *
 * Shared: sums and count of each centre, an object of isolated blocks.
 * --bug: the count is read and written in two blocks (an update gets lost).
 */
#include "task_bench.h"

#include <limits.h>

#define DIM 8
#define BLOCK 1000
#define MOST 64 /* centres */

struct centre {
	int at[DIM];
	int64_t sum[DIM];
	uint64_t count;
};

/* What one block found; on its task's stack. */
struct share {
	int64_t sum[MOST][DIM];
	uint64_t count[MOST];
};

static long rounds = 200, points = 100000, centres = 16;
static int (*at)[DIM];
static int *nearest;
static struct centre *centre;

static int64_t distance(const int *a, const int *b)
{
	int64_t sum = 0;

	for (int d = 0; d < DIM; d++) {
		int64_t by = a[d] - b[d];

		sum += by * by;
	}
	return sum;
}

static int find_nearest(const int *point)
{
	int64_t least = INT64_MAX;
	int best = 0;

	for (int c = 0; c < centres; c++) {
		int64_t d = distance(point, centre[c].at);

		if (d < least) {
			least = d;
			best = c;
		}
	}
	return best;
}

static void add_share(const struct share *s)
{
	for (int c = 0; c < centres; c++) {
		if (!s->count[c])
			continue;
		isolated_begin(&centre[c]);
		for (int d = 0; d < DIM; d++)
			centre[c].sum[d] += s->sum[c][d];
		if (!broken)
			centre[c].count += s->count[c];
		isolated_end(&centre[c]);
		if (broken)
			add_isolated(&centre[c].count, s->count[c]);
	}
}

static void assign(long block, void *arg)
{
	long end = (block + 1) * BLOCK < points ? (block + 1) * BLOCK : points;
	struct share s;

	(void)arg;
	memset(&s, 0, sizeof(s));
	for (long i = block * BLOCK; i < end; i++) {
		int c = find_nearest(at[i]);

		nearest[i] = c;
		s.count[c]++;
		for (int d = 0; d < DIM; d++)
			s.sum[c][d] += at[i][d];
	}
	add_share(&s);
}

static void move_centres(void)
{
	for (int c = 0; c < centres; c++) {
		for (int d = 0; d < DIM && centre[c].count; d++)
			centre[c].at[d] = (int)(centre[c].sum[d] / (int64_t)centre[c].count);
		memset(centre[c].sum, 0, sizeof(centre[c].sum));
		centre[c].count = 0;
	}
}

static void root(void *arg)
{
	(void)arg;
	for (long r = 0; r < rounds; r++) {
		for_blocks((points + BLOCK - 1) / BLOCK, assign, NULL);
		move_centres();
	}
}

int main(int argc, char **argv)
{
	long size[] = { rounds, points, centres };
	uint64_t sum = 0;

	task_bench_args(argc, argv, size, 3);
	rounds = size[0];
	points = size[1];
	centres = size[2] < MOST ? size[2] : MOST;
	at = task_bench_alloc(points, sizeof(*at));
	nearest = task_bench_alloc(points, sizeof(*nearest));
	centre = task_bench_alloc(centres, sizeof(*centre));
	for (long i = 0; i < points; i++) {
		for (int d = 0; d < DIM; d++)
			at[i][d] = (int)(random_at(random_at(2, i) % 20, d) % 100000) +
				   (int)(random_at(1, i * DIM + d) % 20000);
	}
	for (long c = 0; c < centres; c++)
		memcpy(centre[c].at, at[random_at(3, c) % points], sizeof(centre[c].at));
	launch(root);
	for (long i = 0; i < points; i++)
		sum += hash_of(i, nearest[i]);
	for (long c = 0; c < centres; c++)
		sum += hash_of(c, centre[c].at[0]);
	return put_checksum(sum);
}
