/*
 * With collapse the inner loop is divided, too.
 * race: 14 14
 */
#include <omp.h>

static int a[8][9];

int main(void)
{
#pragma omp parallel for collapse(2) num_threads(4) schedule(static, 1)
	for (int i = 0; i < 8; i++)
		for (int j = 0; j < 8; j++)
			a[i][j + 1] = a[i][j];
	return a[0][8];
}
