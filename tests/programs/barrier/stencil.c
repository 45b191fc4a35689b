/*
 * A stencil in two arrays, a barrier after each step: the threads compute what one
 * thread would.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 * RUN: run --switch-at accesses --seed 1..5
 * EXPECT: clean
 */
#include "../program.h"

#define CELLS 64
#define STEPS 10
#define THREADS 4

static pthread_barrier_t b;
static int grid[2][CELLS + 2];

static void step(const int *from, int *to, int first, int last)
{
	for (int i = first; i <= last; i++)
		to[i] = (from[i - 1] + 2 * from[i] + from[i + 1]) % 1000003;
}

static void *part(void *arg)
{
	int first = 1 + (int)(intptr_t)arg * (CELLS / THREADS);

	for (int s = 0; s < STEPS; s++) {
		step(grid[s % 2], grid[(s + 1) % 2], first, first + CELLS / THREADS - 1);
		pthread_barrier_wait(&b);
	}
	return NULL;
}

int main(void)
{
	static int alone[2][CELLS + 2];
	pthread_t t[THREADS];

	for (int i = 1; i <= CELLS; i++)
		grid[0][i] = alone[0][i] = i * i % 97;
	pthread_barrier_init(&b, NULL, THREADS);
	for (intptr_t i = 0; i < THREADS; i++)
		t[i] = start(part, (void *)i);
	for (int i = 0; i < THREADS; i++)
		finish(t[i]);
	for (int s = 0; s < STEPS; s++)
		step(alone[s % 2], alone[(s + 1) % 2], 1, CELLS);
	assert(memcmp(grid[STEPS % 2], alone[STEPS % 2], sizeof(grid[0])) == 0);
	return 0;
}
