/* Heat in a plate, by loops over its rows with a barrier after each sweep: jacobi [SIZE]. */
#include <stdio.h>
#include <stdlib.h>

#define MAX 256

static double grid[2][MAX][MAX];

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 16;
	double sum = 0;

	for (int i = 0; i < n; i++)
		grid[0][0][i] = grid[1][0][i] = 100;
#pragma omp parallel
	for (int t = 0; t < 4; t++) {
#pragma omp for
		for (int i = 1; i < n - 1; i++)
			for (int j = 1; j < n - 1; j++)
				grid[!(t & 1)][i][j] = (grid[t & 1][i - 1][j] + grid[t & 1][i + 1][j] +
							grid[t & 1][i][j - 1] + grid[t & 1][i][j + 1]) / 4;
	}
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++)
			sum += grid[0][i][j] * (i + 1);
	printf("%.9e\n", sum);
	return 0;
}
