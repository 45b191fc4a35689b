/*
 * A fluid of particles in a box, sorted into cells as wide as they reach: their densities, pair by pair, then
 * pressure moves them. A task has a row of cells.
 *
 *   fluid [STEPS [PARTICLES]]
 *
 * Shared: the particles, read by the rows around; their densities, of which a row's task also knows a part of those in
 * the row below, and adds its parts in a block that is isolated on the row.
 * --bug: a part is added in two blocks (what another row adds in between gets lost).
 */
#include "task_bench.h"

#include <math.h>

struct particle {
	float x, y, vx, vy; /* places in cells */
};

static long steps = 50, particles = 60000, width; /* in cells */
static struct particle *now, *next;
static uint64_t *density; /* in units of 2^-20 */
static long *first;	  /* of each cell in turn; one more at the end */

static long cell_of(const struct particle *p)
{
	return (long)p->y * width + (long)p->x;
}

/* What two particles that are close add to each other's density. */
static uint64_t weight(const struct particle *a, const struct particle *b)
{
	float dx = a->x - b->x, dy = a->y - b->y, left = 1 - (dx * dx + dy * dy);

	return left > 0 ? (uint64_t)(left * left * left * 0x1p20f) : 0;
}

/* Pairs of @i and the particles from..end-1; parts are of the particles from @base on. */
static void weigh(uint64_t *parts, long base, long i, long from, long end)
{
	for (long k = from; k < end; k++) {
		uint64_t w = weight(&now[i], &now[k]);

		parts[i - base] += w;
		parts[k - base] += w;
	}
}

static void add_parts(const uint64_t *parts, long base, long row)
{
	long end = first[(row + 1) * width];

	if (broken) {
		for (long i = first[row * width]; i < end; i++)
			add_isolated(&density[i], parts[i - base]);
		return;
	}
	isolated_begin(&first[row * width]);
	for (long i = first[row * width]; i < end; i++)
		density[i] += parts[i - base];
	isolated_end(&first[row * width]);
}

static void weigh_row(long row, void *arg)
{
	long base = first[row * width], below = row + 1 < width ? row + 1 : row;
	uint64_t *parts = task_bench_alloc(first[(below + 1) * width] - base + 1, sizeof(*parts));

	(void)arg;
	for (long x = 0; x < width; x++) {
		long cell = row * width + x, from = below * width + (x ? x - 1 : 0);
		long last = below * width + (x + 1 < width ? x + 1 : x);

		for (long i = first[cell]; i < first[cell + 1]; i++) {
			weigh(parts, base, i, i + 1, first[cell + 1 + (x + 1 < width)]);
			if (below != row)
				weigh(parts, base, i, first[from], first[last + 1]);
		}
	}
	add_parts(parts, base, row);
	if (below != row)
		add_parts(parts, base, below);
	free(parts);
}

/* Away from where it is dense. */
static void push(struct particle *p, long i, long from, long end)
{
	for (long k = from; k < end; k++) {
		float dx = now[i].x - now[k].x, dy = now[i].y - now[k].y;
		float left = 1 - (dx * dx + dy * dy);

		if (left > 0 && k != i) {
			left *= (float)(density[i] + density[k]) * 0x1p-20f * 1e-3f;
			p->vx += left * dx;
			p->vy += left * dy;
		}
	}
}

/* In the box, and no more than half a cell at a time. */
static void advance(float *at, float *by)
{
	*by = fmaxf(-0.5f, fminf(0.5f, *by));
	*at += *by;
	if (*at < 0 || *at >= (float)width) {
		*at = *at < 0 ? 0 : nextafterf((float)width, 0);
		*by = -*by / 2;
	}
}

static void move_row(long row, void *arg)
{
	(void)arg;
	for (long x = 0; x < width; x++) {
		long left = x ? x - 1 : 0, right = x + 1 < width ? x + 1 : x;

		for (long i = first[row * width + x]; i < first[row * width + x + 1]; i++) {
			struct particle p = now[i];

			for (long y = row ? row - 1 : 0; y <= row + 1 && y < width; y++)
				push(&p, i, first[y * width + left], first[y * width + right + 1]);
			p.vy += 0.01f;
			advance(&p.x, &p.vx);
			advance(&p.y, &p.vy);
			next[i] = p;
		}
	}
}

/* From `next` into `now`, by cells. */
static void sort(void)
{
	memset(first, 0, (width * width + 1) * sizeof(*first));
	memset(density, 0, particles * sizeof(*density));
	for (long i = 0; i < particles; i++)
		first[cell_of(&next[i])]++;
	for (long c = 1; c <= width * width; c++)
		first[c] += first[c - 1];
	for (long i = particles - 1; i >= 0; i--)
		now[--first[cell_of(&next[i])]] = next[i];
}

static void root(void *arg)
{
	(void)arg;
	for (long s = 0; s < steps; s++) {
		sort();
		for_blocks(width, weigh_row, NULL);
		for_blocks(width, move_row, NULL);
	}
}

int main(int argc, char **argv)
{
	long size[] = { steps, particles };
	uint64_t sum = 0;

	task_bench_args(argc, argv, size, 2);
	steps = size[0];
	particles = size[1];
	width = (long)sqrt((double)particles / 4) + 1;
	now = task_bench_alloc(particles, sizeof(*now));
	next = task_bench_alloc(particles, sizeof(*next));
	density = task_bench_alloc(particles, sizeof(*density));
	first = task_bench_alloc(width * width + 2, sizeof(*first));
	for (long i = 0; i < particles; i++) {
		next[i].x = (float)(uniform_at(1, i) * (double)(width - 1));
		next[i].y = (float)(uniform_at(2, i) * (double)(width - 1));
	}
	launch(root);
	for (long i = 0; i < particles; i++)
		sum += hash_of(i, bits_of(next[i].x)) + hash_of(i, bits_of(next[i].y));
	return put_checksum(sum);
}
