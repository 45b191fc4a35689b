/*
 * Rows below the pivot are eliminated in parallel; with the pivot's row among them its values
 * change under the others.
 * clean
 */
#include <omp.h>

static double a[8][8];

int main(void)
{
	for (int i = 0; i < 8; i++)
		for (int j = 0; j < 8; j++)
			a[i][j] = i == j ? 8 : 1;
	for (int k = 0; k < 7; k++) {
#pragma omp parallel for
		for (int i = k + 1; i < 8; i++)
			for (int j = k + 1; j < 8; j++)
				a[i][j] -= a[i][k] * a[k][j] / 16;
	}
	return a[7][7] > 8;
}
