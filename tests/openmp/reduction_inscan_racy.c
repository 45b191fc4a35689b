/*
 * A prefix sum.
 * race: 14 14
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	int sum = 0, a[12];

#pragma omp parallel for num_threads(3)
	for (int i = 0; i < 12; i++) {
		sum += i;
		a[i] = sum;
	}
	return a[0] > 66;
}
