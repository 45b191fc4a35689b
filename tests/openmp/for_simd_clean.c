/*
 * Lanes of a simd loop.
 * clean
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	int a[32] = { 0 };

#pragma omp parallel for simd num_threads(2)
	for (int i = 0; i < 31; i++)
		a[i] = a[i] + 1;
	return a[0] - 1;
}
