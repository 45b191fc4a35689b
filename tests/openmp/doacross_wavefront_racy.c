/*
 * A wavefront that waits for the row above at the same column, and reads one further.
 * race: 19 19
 */
#include <omp.h>
#include <stdlib.h>

#define N 6

int main(void)
{
	static int a[N + 1][N + 2];

#pragma omp parallel for ordered(2)
	for (int i = 1; i <= N; i++) {
		for (int j = 1; j <= N; j++) {
#pragma omp ordered depend(sink : i - 1, j) depend(sink : i, j - 1)
			if (a[i - 1][j] >= 0)
				a[i][j] = a[i - 1][j + 1] + a[i][j - 1] + 1;
#pragma omp ordered depend(source)
		}
	}
	return a[N][N] < 0;
}
