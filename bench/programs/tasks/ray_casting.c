/*
 * Rays into a scene of spheres in a grid: each pixel's ray steps through the grid's cells until it
 * hits a sphere. The picture is drawn in tiles, each a task.
 *
 *   ray_casting [WIDTH [SPHERES]]      the picture is square
 *
 * Shared: the picture, a pixel for one task; the count of rays that hit, which each task adds to
 * in an isolated block.
 * --bug: it is read and written in two blocks (an update gets lost).
 */
#include "task_bench.h"

#include <math.h>

#define TILE 16
#define CELLS 24 /* in each direction, over the unit cube */

struct sphere {
	float x, y, z, radius;
};

struct ray {
	float from[3], along[3];
};

/* A walk through the cells that a ray meets. */
struct walk {
	int cell[3], step[3];
	float next[3], stride[3]; /* along the ray: to the next wall, and from wall to wall */
};

static long width = 3200, spheres = 4000;
static struct sphere *sphere;
static int *first, *listed; /* of cell c: listed[first[c] .. first[c + 1] - 1] */
static int *picture;
static uint64_t hits;

static int cell_of(float x)
{
	int c = (int)floorf(x * CELLS);

	return c < 0 ? 0 : c >= CELLS ? CELLS - 1 : c;
}

static int cell_number(const int *c)
{
	return (c[0] * CELLS + c[1]) * CELLS + c[2];
}

/* Call for each cell that @s may touch; with @list NULL only count. */
static void enter(const struct sphere *s, int number, int *count, int *list)
{
	const float at[3] = { s->x, s->y, s->z };
	int low[3], high[3], c[3];

	for (int d = 0; d < 3; d++) {
		low[d] = cell_of(at[d] - s->radius);
		high[d] = cell_of(at[d] + s->radius);
	}
	for (c[0] = low[0]; c[0] <= high[0]; c[0]++) {
		for (c[1] = low[1]; c[1] <= high[1]; c[1]++) {
			for (c[2] = low[2]; c[2] <= high[2]; c[2]++) {
				int *n = &count[cell_number(c)];

				if (list)
					list[*n] = number;
				++*n;
			}
		}
	}
}

static void make_grid(void)
{
	int cells = CELLS * CELLS * CELLS, *at = task_bench_alloc(cells + 1, sizeof(*at));

	first = task_bench_alloc(cells + 1, sizeof(*first));
	for (long i = 0; i < spheres; i++)
		enter(&sphere[i], (int)i, at, NULL);
	for (int c = 0; c < cells; c++) {
		first[c + 1] = first[c] + at[c];
		at[c] = first[c];
	}
	listed = task_bench_alloc(first[cells], sizeof(*listed));
	for (long i = 0; i < spheres; i++)
		enter(&sphere[i], (int)i, at, listed);
	free(at);
}

/* How far along the ray the sphere is hit; negative: not at all. */
static float hit(const struct ray *r, const struct sphere *s)
{
	float to[3] = { s->x - r->from[0], s->y - r->from[1], s->z - r->from[2] };
	float middle = to[0] * r->along[0] + to[1] * r->along[1] + to[2] * r->along[2];
	float off = to[0] * to[0] + to[1] * to[1] + to[2] * to[2] - middle * middle;
	float under = s->radius * s->radius - off;

	return under < 0 ? -1 : middle - sqrtf(under);
}

static void begin_walk(struct walk *w, const struct ray *r)
{
	for (int d = 0; d < 3; d++) {
		float wall;

		w->cell[d] = cell_of(r->from[d]);
		w->step[d] = r->along[d] < 0 ? -1 : 1;
		wall = (float)(w->cell[d] + (r->along[d] < 0 ? 0 : 1)) / CELLS;
		w->stride[d] = r->along[d] != 0 ? fabsf(1.0f / CELLS / r->along[d]) : 1e9f;
		w->next[d] = r->along[d] != 0 ? (wall - r->from[d]) / r->along[d] : 1e9f;
	}
}

/* The sphere that the ray hits first, or -1. */
static int cast(const struct ray *r)
{
	float nearest = 1e9f;
	struct walk w;
	int best = -1;

	begin_walk(&w, r);
	for (;;) {
		int c = cell_number(w.cell);
		int d = w.next[0] < w.next[1] ? (w.next[0] < w.next[2] ? 0 : 2)
					      : (w.next[1] < w.next[2] ? 1 : 2);

		for (int i = first[c]; i < first[c + 1]; i++) {
			float far = hit(r, &sphere[listed[i]]);

			if (far >= 0 && far < nearest) {
				nearest = far;
				best = listed[i];
			}
		}
		if (nearest <= w.next[d])
			return best;
		w.cell[d] += w.step[d];
		if (w.cell[d] < 0 || w.cell[d] >= CELLS)
			return best;
		w.next[d] += w.stride[d];
	}
}

static int draw_pixel(long x, long y)
{
	float u = ((float)x + 0.5f) / (float)width, v = ((float)y + 0.5f) / (float)width;
	struct ray r = { { u, v, 0 }, { (u - 0.5f) * 0.3f, (v - 0.5f) * 0.3f, 1 } };
	float length = sqrtf(r.along[0] * r.along[0] + r.along[1] * r.along[1] + 1);

	for (int d = 0; d < 3; d++)
		r.along[d] /= length;
	return cast(&r);
}

static void draw_tile(long tile, void *arg)
{
	long across = (width + TILE - 1) / TILE;
	long left = tile % across * TILE, top = tile / across * TILE;
	uint64_t count = 0;

	(void)arg;
	for (long y = top; y < top + TILE && y < width; y++) {
		for (long x = left; x < left + TILE && x < width; x++) {
			int s = draw_pixel(x, y);

			picture[y * width + x] = s;
			count += s >= 0;
		}
	}
	add_isolated(&hits, count);
}

static void root(void *arg)
{
	long across = (width + TILE - 1) / TILE;

	(void)arg;
	for_blocks(across * across, draw_tile, NULL);
}

int main(int argc, char **argv)
{
	long size[] = { width, spheres };
	uint64_t sum;

	task_bench_args(argc, argv, size, 2);
	width = size[0];
	spheres = size[1];
	sphere = task_bench_alloc(spheres, sizeof(*sphere));
	picture = task_bench_alloc(width * width, sizeof(*picture));
	for (long i = 0; i < spheres; i++) {
		sphere[i] = (struct sphere){
			(float)uniform_at(1, i), (float)uniform_at(2, i), (float)uniform_at(3, i),
			0.002f + 0.01f * (float)uniform_at(4, i),
		};
	}
	make_grid();
	launch(root);
	sum = hits;
	for (long i = 0; i < width * width; i++)
		sum += hash_of(i, picture[i]);
	return put_checksum(sum);
}
