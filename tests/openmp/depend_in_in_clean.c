/*
 * Two readers are not ordered.
 * clean
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	int x = 0, y = 0, z = 0;

#pragma omp parallel num_threads(2)
#pragma omp single
	{
#pragma omp task shared(x, y) depend(in : x)
		y = x + 1;
#pragma omp task shared(x, z) depend(in : x)
		z = x + 2;
#pragma omp task shared(x) depend(inout : x)
		x = 9;
	}
	return y + z - 3;
}
