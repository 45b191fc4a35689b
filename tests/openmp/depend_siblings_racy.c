/*
 * Dependences are between siblings only.
 * race: 18 21
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	int x = 0;

#pragma omp parallel num_threads(2)
#pragma omp single
	{
#pragma omp task shared(x)
		{
#pragma omp task shared(x) depend(out : x)
			x = 1;
		}
#pragma omp task shared(x) depend(inout : x)
		x = 2;
	}
	return x > 2;
}
