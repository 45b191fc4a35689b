/*
 * Two readers are not ordered.
 * race: 16 18
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	int x = 0, y = 0;

#pragma omp parallel num_threads(2)
#pragma omp single
	{
#pragma omp task shared(x, y) depend(in : x)
		y = x + 1;
#pragma omp task shared(x, y) depend(in : x)
		y = x + 2;
	}
	return y > 2;
}
