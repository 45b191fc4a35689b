/*
 * A prefix sum.
 * clean
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	int sum = 0, a[12];

#pragma omp parallel for num_threads(3) reduction(inscan, + : sum)
	for (int i = 0; i < 12; i++) {
		sum += i;
#pragma omp scan inclusive(sum)
		a[i] = sum;
	}
	return a[11] - 66;
}
