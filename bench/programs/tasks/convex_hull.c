/*
 * The convex hull of points in the plane, by quickhull: the point farthest from a line cuts what
 * lies outside of it into two parts, each of which is a task; large parts are also split and
 * searched by blocks in parallel.
 *
 *   convex_hull [POINTS [ROUNDS]]      rounds with different points
 *
 * Shared: the checksum of the hull's corners, added to in an isolated block by each task that
 * finds one.
 * --bug: it is read and written in two blocks (an update gets lost).
 */
#include "task_bench.h"

#include <math.h>

#define BLOCK 20000

struct point {
	double x, y;
};

/* Points @from .. @from + @count - 1 of the order lie left of the line from @a to @b. */
struct part {
	long from, count, a, b;
};

/* A block's search for the farthest point, and what it leaves outside of the two new lines. */
struct search {
	struct part part;
	long corner;
	long *far, *left, *right; /* one for each block */
};

static long points = 1000000, rounds = 30;
static struct point *at;
static long *order, *spare;
static uint64_t corners;

/* Twice the area of the triangle: above 0 if @p is left of the line from @a to @b. */
static double side(long a, long b, long p)
{
	return (at[b].x - at[a].x) * (at[p].y - at[a].y) -
	       (at[b].y - at[a].y) * (at[p].x - at[a].x);
}

static long blocks_of(const struct part *p)
{
	return (p->count + BLOCK - 1) / BLOCK;
}

static long block_end(const struct part *p, long block)
{
	return p->from + ((block + 1) * BLOCK < p->count ? (block + 1) * BLOCK : p->count);
}

static void find_far(long block, void *arg)
{
	struct search *s = arg;
	const struct part *p = &s->part;
	long far = order[p->from + block * BLOCK];
	double most = side(p->a, p->b, far);

	for (long i = p->from + block * BLOCK; i < block_end(p, block); i++) {
		double d = side(p->a, p->b, order[i]);

		if (d > most) {
			most = d;
			far = order[i];
		}
	}
	s->far[block] = far;
}

/* A block's points outside of a-corner go to its front, those outside of corner-b to its end. */
static void split_block(long block, void *arg)
{
	struct search *s = arg;
	const struct part *p = &s->part;
	long begin = p->from + block * BLOCK, end = block_end(p, block);
	long left = begin, right = end;

	for (long i = begin; i < end; i++) {
		long n = order[i];

		if (side(p->a, s->corner, n) > 0)
			spare[left++] = n;
		else if (side(s->corner, p->b, n) > 0)
			spare[--right] = n;
	}
	s->left[block] = left - begin;
	s->right[block] = end - right;
}

/* Back into the order: all left ones, then all right ones. */
static void gather(struct search *s, struct part *left, struct part *right)
{
	const struct part *p = &s->part;
	long to = p->from;

	*left = (struct part){ to, 0, p->a, s->corner };
	for (long k = 0; k < blocks_of(p); k++) {
		memcpy(order + to, spare + p->from + k * BLOCK, s->left[k] * sizeof(*order));
		to += s->left[k];
	}
	left->count = to - left->from;
	*right = (struct part){ to, 0, s->corner, p->b };
	for (long k = 0; k < blocks_of(p); k++) {
		memcpy(order + to, spare + block_end(p, k) - s->right[k],
		       s->right[k] * sizeof(*order));
		to += s->right[k];
	}
	right->count = to - right->from;
}

static void for_all_blocks(struct search *s, hj_body1 *fn)
{
	if (blocks_of(&s->part) > 1)
		for_blocks(blocks_of(&s->part), fn, s);
	else
		fn(0, s);
}

/* The corner of a part, and the parts beyond it. */
static void cut(const struct part *p, struct part *left, struct part *right)
{
	long blocks = blocks_of(p), *room = task_bench_alloc(3 * blocks, sizeof(*room));
	struct search s = { *p, 0, room, room + blocks, room + 2 * blocks };

	for_all_blocks(&s, find_far);
	s.corner = s.far[0];
	for (long k = 1; k < blocks; k++) {
		if (side(p->a, p->b, s.far[k]) > side(p->a, p->b, s.corner))
			s.corner = s.far[k];
	}
	for_all_blocks(&s, split_block);
	gather(&s, left, right);
	free(room);
	add_isolated(&corners, hash_of(s.corner, 1));
}

static void hull_of(void *arg)
{
	struct part p = *(struct part *)arg, left, right;

	while (p.count > 0) {
		cut(&p, &left, &right);
		if (left.count > 500)
			async(hull_of, &left, sizeof(left));
		else if (left.count > 0)
			hull_of(&left);
		p = right;
	}
}

/* A round's points, and the outermost ones of each block. */
struct round {
	long number;
	long *leftmost, *rightmost;
};

static void make_block(long block, void *arg)
{
	struct round *r = arg;
	long begin = block * BLOCK, end = begin + BLOCK < points ? begin + BLOCK : points;
	long leftmost = begin, rightmost = begin;

	for (long i = begin; i < end; i++) {
		double angle = 2 * M_PI * uniform_at(2 * r->number, i);
		double radius = sqrt(uniform_at(2 * r->number + 1, i));

		at[i] = (struct point){ radius * cos(angle), radius * sin(angle) };
		order[i] = i;
		leftmost = at[i].x < at[leftmost].x ? i : leftmost;
		rightmost = at[i].x > at[rightmost].x ? i : rightmost;
	}
	r->leftmost[block] = leftmost;
	r->rightmost[block] = rightmost;
}

/* Everything, as what lies on either side of the line between the outermost points. */
static void halves(struct round *r, long blocks, struct part *above, struct part *below)
{
	long a = r->leftmost[0], b = r->rightmost[0];
	long *room = task_bench_alloc(2 * blocks, sizeof(*room));
	struct search s;

	for (long k = 1; k < blocks; k++) {
		a = at[r->leftmost[k]].x < at[a].x ? r->leftmost[k] : a;
		b = at[r->rightmost[k]].x > at[b].x ? r->rightmost[k] : b;
	}
	s = (struct search){ { 0, points, a, a }, b, NULL, room, room + blocks };
	for_all_blocks(&s, split_block);
	gather(&s, above, below);
	free(room);
	corners += hash_of(a, 1) + hash_of(b, 1);
}

static void root(void *arg)
{
	long blocks = (points + BLOCK - 1) / BLOCK;
	long *room = task_bench_alloc(2 * blocks, sizeof(*room));

	(void)arg;
	for (long n = 0; n < rounds; n++) {
		struct round r = { n, room, room + blocks };
		struct part above, below;

		for_blocks(blocks, make_block, &r);
		halves(&r, blocks, &above, &below);
		finish_begin();
		async(hull_of, &above, sizeof(above));
		async(hull_of, &below, sizeof(below));
		finish_end();
	}
	free(room);
}

int main(int argc, char **argv)
{
	long size[] = { points, rounds };

	task_bench_args(argc, argv, size, 2);
	points = size[0];
	rounds = size[1];
	at = task_bench_alloc(points, sizeof(*at));
	order = task_bench_alloc(points, sizeof(*order));
	spare = task_bench_alloc(points, sizeof(*spare));
	launch(root);
	return put_checksum(corners);
}
