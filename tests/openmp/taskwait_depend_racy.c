/*
 * Taskwait for some tasks only.
 * race: 16 20
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	int x = 0, z = 0, y;

#pragma omp parallel num_threads(2)
#pragma omp single
	{
#pragma omp task shared(x) depend(out : x)
		x = 1;
#pragma omp task shared(z) depend(out : z)
		z = 1;
#pragma omp taskwait depend(in : z)
		y = x;
	}
	return y > 1;
}
