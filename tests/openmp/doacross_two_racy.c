/*
 * A loop nest in which each cell needs its upper neighbour, which another iteration of the outer loop makes.
 * race: 16 16
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	int a[5][5] = { { 0 } };

#pragma omp parallel for ordered(2) num_threads(3)
	for (int i = 1; i < 5; i++)
		for (int j = 1; j < 5; j++) {
#pragma omp ordered depend(sink : i - 1, j - 1)
			a[i][j] = a[i - 1][j] + a[i][j - 1];
#pragma omp ordered depend(source)
		}
	return a[4][4];
}
