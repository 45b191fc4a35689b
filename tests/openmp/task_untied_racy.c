/*
 * Untied, mergeable and priority change nothing about order.
 * race: 16 18
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	int x = 0;

#pragma omp parallel num_threads(2)
#pragma omp single
	{
#pragma omp task shared(x) untied
		x = 1;
#pragma omp task shared(x) mergeable priority(5)
		x = 2;
	}
	return x > 2;
}
