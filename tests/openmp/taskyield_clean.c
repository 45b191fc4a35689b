/*
 * Taskyield orders nothing.
 * clean
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	int x = 0, y;

#pragma omp parallel num_threads(2)
#pragma omp single
	{
#pragma omp task shared(x)
		x = 1;
#pragma omp taskyield
#pragma omp taskwait
		y = x;
	}
	return y - 1;
}
