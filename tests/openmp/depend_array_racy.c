/*
 * A dependence on one element is none on another.
 * race: 16 18
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	int a[2] = { 0 }, y = 0;

#pragma omp parallel num_threads(2)
#pragma omp single
	{
#pragma omp task shared(a) depend(out : a[0])
		a[0] = a[1] = 1;
#pragma omp task shared(a, y) depend(in : a[1])
		y = a[1];
	}
	return y > 1;
}
