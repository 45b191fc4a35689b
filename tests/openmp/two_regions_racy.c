/*
 * The end of a parallel region is a barrier.
 * race: 15 17
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	int x = 0;

#pragma omp parallel num_threads(2)
	{
#pragma omp single nowait
		x = 1;
#pragma omp single nowait
		x = 2;
	}
	return x > 2;
}
