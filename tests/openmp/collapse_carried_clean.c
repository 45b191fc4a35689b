/*
 * With collapse the inner loop is divided, too.
 * clean
 */
#include <omp.h>

static int a[8][9];

int main(void)
{
#pragma omp parallel for num_threads(4)
	for (int i = 0; i < 8; i++)
		for (int j = 0; j < 8; j++)
			a[i][j + 1] = a[i][j];
	return a[0][8];
}
