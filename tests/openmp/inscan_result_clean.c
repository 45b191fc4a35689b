/*
 * Positions by an exclusive scan; each thread counts in a place of its own, and goes on without waiting.
 * clean
 */
#include <omp.h>

static int length[32], start[32], done[3][16], last[3];

int main(void)
{
	int at = 0, all = 0;

#pragma omp parallel num_threads(3)
	{
		int *mine = done[omp_get_thread_num()];

#pragma omp for reduction(inscan, + : at) nowait
		for (int i = 0; i < 32; i++) {
			start[i] = at;
			mine[0]++;
#pragma omp scan exclusive(at)
			at += length[i] + 1;
		}
		last[omp_get_thread_num()] = mine[0];
	}
	for (int i = 0; i < 3; i++)
		all += last[i];
	return start[31] != 31 || all != 32;
}
