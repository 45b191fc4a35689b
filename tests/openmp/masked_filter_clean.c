/*
 * Masked with a filter.
 * clean
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	int x = 0, y = 0;

#pragma omp parallel num_threads(3)
	{
#pragma omp masked filter(1)
		x = 1;
#pragma omp barrier
#pragma omp masked filter(2)
		y = x;
	}
	return y - 1;
}
