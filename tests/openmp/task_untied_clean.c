/*
 * Untied, mergeable and priority change nothing about order.
 * clean
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	int x = 0, y = 0;

#pragma omp parallel num_threads(2)
#pragma omp single
	{
#pragma omp task shared(x) untied
		x = 1;
#pragma omp task shared(y) mergeable priority(5)
		y = 2;
	}
	return x + y - 3;
}
