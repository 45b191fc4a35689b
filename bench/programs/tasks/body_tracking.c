/*
 * A body of rods that is followed through pictures: in each, many guesses at its pose are weighed by how dark
 * the picture is along the rods, drawn anew by their weights and shaken, less from layer to layer.
 *
 *   body_tracking [PICTURES [GUESSES]]
 *
 * Shared: the picture, read by all; the guesses, a block for one writer; the sum of all weights, which tasks add to in
 * isolated blocks.
 * --bug: they read it in one block and write it in another (what others add in between gets lost).
 */
#include "task_bench.h"

#include <math.h>

#define RODS   6
#define LAYERS 4
#define POINTS 24  /* of a rod */
#define WIDTH  256 /* of a picture */
#define BLOCK  64

struct pose {
	float x, y, angle[RODS];
};

static long pictures = 150, guesses = 6000;
static float (*picture)[WIDTH];
static struct pose *pose, *drawn, truth;
static float *weight;
static uint64_t total; /* in units of 2^-32 */

struct layer {
	long picture, layer;
};

static struct pose pose_at(long n)
{
	struct pose p = { .x = WIDTH / 2 + 30 * sinf((float)n * 0.2f),
			  .y = WIDTH / 2 + 30 * cosf((float)n * 0.15f) };

	for (int r = 0; r < RODS; r++)
		p.angle[r] = (float)r + 0.5f * sinf((float)n * 0.1f * (float)(r + 1));
	return p;
}

/* Point @i of a rod: where it is in the picture. */
static void place(const struct pose *p, int rod, int i, long *x, long *y)
{
	float by = (float)i * 2;

	*x = (long)(p->x + by * cosf(p->angle[rod])) & (WIDTH - 1);
	*y = (long)(p->y + by * sinf(p->angle[rod])) & (WIDTH - 1);
}

static void draw_row(long y, void *arg)
{
	long n = *(const long *)arg;

	for (long x = 0; x < WIDTH; x++)
		picture[y][x] = (float)uniform_at(10 + n, y * WIDTH + x) * 0.25f;
}

static void draw(long n)
{
	truth = pose_at(n);
	for_blocks(WIDTH, draw_row, &n);
	for (int r = 0; r < RODS; r++) {
		for (int i = 0; i < POINTS; i++) {
			long x, y;

			place(&truth, r, i, &x, &y);
			for (long k = 0; k < 25; k++)
				picture[(y + k / 5 - 2) & (WIDTH - 1)]
				       [(x + k % 5 - 2) & (WIDTH - 1)] = 1;
		}
	}
}

static void weigh_block(long block, void *arg)
{
	const struct layer *l = arg;
	long end = (block + 1) * BLOCK < guesses ? (block + 1) * BLOCK : guesses;
	uint64_t sum = 0;

	for (long g = block * BLOCK; g < end; g++) {
		float seen = 0;

		for (int r = 0; r < RODS; r++) {
			for (int i = 0; i < POINTS; i++) {
				long x, y;

				place(&pose[g], r, i, &x, &y);
				seen += picture[y][x];
			}
		}
		weight[g] = expf((seen / (RODS * POINTS) - 1) * (float)(4 << l->layer));
		sum += (uint64_t)(weight[g] * 0x1p32f);
	}
	add_isolated(&total, sum);
}

static float shake(uint64_t seed, long n, float most)
{
	return ((float)uniform_at(seed, n) - 0.5f) * most;
}

static void shake_block(long block, void *arg)
{
	const struct layer *l = arg;
	long end = (block + 1) * BLOCK < guesses ? (block + 1) * BLOCK : guesses;
	uint64_t seed = 1000 + (uint64_t)(l->picture * LAYERS + l->layer);
	float most = 16.0f / (float)(1 << l->layer);

	for (long g = block * BLOCK; g < end; g++) {
		struct pose p = drawn[g];

		p.x += shake(seed, g * 8, most);
		p.y += shake(seed, g * 8 + 1, most);
		for (int r = 0; r < RODS; r++)
			p.angle[r] += shake(seed, g * 8 + 2 + r, most / 40);
		pose[g] = p;
	}
}

/* As many of each guess as its weight is of the total. */
static void draw_anew(void)
{
	uint64_t step = total / (uint64_t)guesses + 1, up_to = 0, at = step / 2;
	long to = 0;

	for (long g = 0; g < guesses; g++) {
		up_to += (uint64_t)(weight[g] * 0x1p32f);
		for (; at < up_to && to < guesses; at += step)
			drawn[to++] = pose[g];
	}
	while (to < guesses)
		drawn[to++] = pose[guesses - 1];
}

static void root(void *arg)
{
	long blocks = (guesses + BLOCK - 1) / BLOCK;

	(void)arg;
	for (long n = 0; n < pictures; n++) {
		draw(n);
		for (long k = 0; k < LAYERS; k++) {
			struct layer l = { n, k };

			total = 0;
			for_blocks(blocks, weigh_block, &l);
			draw_anew();
			for_blocks(blocks, shake_block, &l);
		}
	}
}

int main(int argc, char **argv)
{
	long size[] = { pictures, guesses };
	uint64_t sum;

	task_bench_args(argc, argv, size, 2);
	pictures = size[0];
	guesses = size[1];
	picture = task_bench_alloc(WIDTH, sizeof(*picture));
	pose = task_bench_alloc(guesses, sizeof(*pose));
	drawn = task_bench_alloc(guesses, sizeof(*drawn));
	weight = task_bench_alloc(guesses, sizeof(*weight));
	for (long g = 0; g < guesses; g++)
		pose[g] = pose_at(0);
	launch(root);
	sum = total;
	for (long g = 0; g < guesses; g++)
		sum += hash_of(g, bits_of(pose[g].x)) + hash_of(g, bits_of(weight[g]));
	return put_checksum(sum);
}
