/*
 * Taskyield orders nothing.
 * race: 16 18
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
		y = x;
	}
	return y > 1;
}
