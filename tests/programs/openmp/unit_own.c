/*
 * Iterations of one thread may use what is the thread's own one after the other: its stack, its
 * thread-local variables, what it allocated, and what it found by its number or by having been
 * there first. So may tasks that run on one thread. A chunk is one piece.
 *
 * CC: -fopenmp
 * RUN: run --seed 1..10
 * EXPECT: clean
 * RUN: run --seed 1..5 --threads 3
 * EXPECT: clean
 * RUN: run --seed 1..2 --threads 2 --policy pct
 * EXPECT: clean
 */
#include <omp.h>
#include <stdlib.h>

static int kept, by_number[64], slot[64], next, chain[64], sum_of[64];
#pragma omp threadprivate(kept)

static void numbers(void)
{
#pragma omp parallel for
	for (int i = 0; i < 64; i++)
		by_number[omp_get_thread_num()] += i;
#pragma omp parallel for
	for (int i = 0; i < 64; i++)
		kept += i;
#pragma omp parallel
	{
		int me;

#pragma omp atomic capture
		me = next++;
#pragma omp for
		for (int i = 0; i < 64; i++)
			slot[me]++;
	}
#pragma omp parallel
	{
		int me;

#pragma omp critical
		me = next++;
#pragma omp for schedule(dynamic)
		for (int i = 0; i < 64; i++)
			slot[me]++;
	}
}

static void memory(void)
{
	long sum = 0;

#pragma omp parallel
	{
		int *mine = malloc(20 * sizeof(int)), on_stack[10], n = 0;

#pragma omp for nowait
		for (int i = 0; i < 64; i++) {
			mine[n % 20] = i;
			on_stack[n++ % 10] = i;
		}
#pragma omp for reduction(+ : sum)
		for (int i = 0; i < 64; i++) {
			int *p = malloc(sizeof(int));

			*p = i;
			sum += *p + (n > 10 ? on_stack[0] : 0);
			free(p);
		}
		free(mine);
	}
}

static void chunks(void)
{
#pragma omp parallel for schedule(static, 4)
	for (int i = 0; i < 64; i++)
		chain[i] = i % 4 ? chain[i - 1] + 1 : 0;
}

static void tasks(void)
{
#pragma omp parallel
#pragma omp single
	for (int i = 0; i < 30; i++) {
#pragma omp task
		sum_of[omp_get_thread_num()] += i;
#pragma omp task
		kept++;
	}
}

int main(void)
{
	numbers();
	memory();
	chunks();
	tasks();
	return by_number[0] + slot[0] + chain[3] + sum_of[0] < 0;
}
