/*
 * Tasks that exclude each other in any order.
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
#pragma omp task shared(x) depend(in : x)
		x += 1;
#pragma omp task shared(x) depend(in : x)
		x += 2;
	}
	return x > 3;
}
