/*
 * The nearest neighbour of every point in space: a k-d tree, whose halves are built as tasks, then
 * a search for each point, in blocks.
 *
 *   nearest_neighbours [POINTS [ROUNDS]]      rounds with different points
 *
 * Shared: the tree, handed over by the finish; the largest distance found, looked at and
 * raised in an isolated block.
 * --bug: it is looked at in one block and raised in another (a larger one gets lost).
 */
#include "task_bench.h"

#define DIM 3
#define LEAF 8
#define BLOCK 1000
#define SMALL 2000 /* points: no tasks below it */

/* The points order[from .. from + count - 1]; below it, the node at the middle one. */
struct part {
	long from, count;
	int axis;
};

static long points = 200000, rounds = 8;
static float (*at)[DIM];
static long *order; /* a balanced tree: the middle of a part is its root */
static long *neighbour;
static uint64_t farthest; /* squared, in units of 2^-60 */

static float coordinate(long i, int axis)
{
	return at[order[i]][axis];
}

static void swap(long i, long k)
{
	long t = order[i];

	order[i] = order[k];
	order[k] = t;
}

/* Move the middle one of from .. end-1 by @axis to the place @middle, lesser ones before it. */
static void select_middle(long from, long end, long middle, int axis)
{
	while (end - from > 1) {
		float pivot = coordinate(from + (end - from) / 2, axis);
		long low = from, high = end - 1;

		while (low <= high) {
			while (coordinate(low, axis) < pivot)
				low++;
			while (coordinate(high, axis) > pivot)
				high--;
			if (low <= high)
				swap(low++, high--);
		}
		if (middle <= high)
			end = high + 1;
		else if (middle >= low)
			from = low;
		else
			return;
	}
}

static void build(void *arg)
{
	struct part p = *(struct part *)arg;

	while (p.count > LEAF) {
		long middle = p.from + p.count / 2;
		struct part lower = { p.from, p.count / 2, (p.axis + 1) % DIM };

		select_middle(p.from, p.from + p.count, middle, p.axis);
		if (lower.count > SMALL)
			async(build, &lower, sizeof(lower));
		else
			build(&lower);
		p = (struct part){ middle + 1, p.count - p.count / 2 - 1, lower.axis };
	}
}

struct best {
	long point, neighbour;
	float distance;
};

static void look_at(struct best *b, long i)
{
	float sum = 0;

	if (i == b->point)
		return;
	for (int d = 0; d < DIM; d++)
		sum += (at[i][d] - at[b->point][d]) * (at[i][d] - at[b->point][d]);
	if (sum < b->distance || (sum == b->distance && i < b->neighbour)) {
		b->distance = sum;
		b->neighbour = i;
	}
}

static void search_in(struct best *b, struct part p)
{
	while (p.count > LEAF) {
		long middle = p.from + p.count / 2;
		struct part lower = { p.from, p.count / 2, (p.axis + 1) % DIM };
		struct part upper = { middle + 1, p.count - p.count / 2 - 1, lower.axis };
		float by = at[b->point][p.axis] - coordinate(middle, p.axis);

		look_at(b, order[middle]);
		search_in(b, by < 0 ? lower : upper);
		if (by * by > b->distance)
			return;
		p = by < 0 ? upper : lower;
	}
	for (long i = p.from; i < p.from + p.count; i++)
		look_at(b, order[i]);
}

/* *most = @value if that is more. */
static void raise_to(uint64_t *most, uint64_t value)
{
	uint64_t seen;

	isolated_begin(most);
	seen = *most;
	if (broken) {
		isolated_end(most);
		isolated_begin(most);
	}
	*most = value > seen ? value : seen;
	isolated_end(most);
}

static void search_block(long block, void *arg)
{
	long end = (block + 1) * BLOCK < points ? (block + 1) * BLOCK : points;
	float most = 0;

	(void)arg;
	for (long i = block * BLOCK; i < end; i++) {
		struct best b = { i, -1, 100 };

		search_in(&b, (struct part){ 0, points, 0 });
		neighbour[i] = b.neighbour;
		if (b.distance > most)
			most = b.distance;
	}
	raise_to(&farthest, (uint64_t)(most * 0x1p60f));
}

static void make_block(long block, void *round)
{
	long end = (block + 1) * BLOCK < points ? (block + 1) * BLOCK : points;

	for (long i = block * BLOCK; i < end; i++) {
		order[i] = i;
		for (int d = 0; d < DIM; d++)
			at[i][d] = (float)uniform_at(*(long *)round, i * DIM + d);
	}
}

static void root(void *arg)
{
	struct part all = { 0, points, 0 };
	long blocks = (points + BLOCK - 1) / BLOCK;

	(void)arg;
	for (long r = 0; r < rounds; r++) {
		for_blocks(blocks, make_block, &r);
		finish_begin();
		async(build, &all, sizeof(all));
		finish_end();
		for_blocks(blocks, search_block, NULL);
	}
}

int main(int argc, char **argv)
{
	long size[] = { points, rounds };
	uint64_t sum;

	task_bench_args(argc, argv, size, 2);
	points = size[0];
	rounds = size[1];
	at = task_bench_alloc(points, sizeof(*at));
	order = task_bench_alloc(points, sizeof(*order));
	neighbour = task_bench_alloc(points, sizeof(*neighbour));
	launch(root);
	sum = farthest;
	for (long i = 0; i < points; i++)
		sum += hash_of(i, neighbour[i]);
	return put_checksum(sum);
}
