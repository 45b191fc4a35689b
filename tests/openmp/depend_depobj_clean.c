/*
 * A dependence kept in an object.
 * clean
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	int x = 0, y = 0;
	omp_depend_t d;

#pragma omp depobj(d) depend(in : x)
#pragma omp parallel num_threads(2)
#pragma omp single
	{
#pragma omp task shared(x) depend(out : x)
		x = 1;
#pragma omp task shared(x, y) depend(depobj : d)
		y = x;
	}
#pragma omp depobj(d) destroy
	return y - 1;
}
