/*
 * The inner loop's sum is of the outer iteration.
 * clean
 */
#include <omp.h>

int main(void)
{
	static double a[8][8], r[8];
	double sum = 0;

#pragma omp parallel for num_threads(4) private(sum)
	for (int i = 0; i < 8; i++) {
		sum = 0;
		for (int j = 0; j < 8; j++)
			sum += a[i][j];
		r[i] = sum;
	}
	return r[0] > 1;
}
