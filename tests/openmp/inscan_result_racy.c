/*
 * Positions by an exclusive scan: two iterations put their results into one place.
 * race: 16 16
 */
#include <omp.h>

static int length[32], start[32];

int main(void)
{
	int at = 0;

#pragma omp parallel num_threads(3)
#pragma omp for reduction(inscan, + : at)
	for (int i = 0; i < 32; i++) {
		start[i / 2] = at;
#pragma omp scan exclusive(at)
		at += length[i] + 1;
	}
	return start[15] > 32;
}
