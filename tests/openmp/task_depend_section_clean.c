/*
 * Array sections that begin at the same element are one dependence; others are not.
 * clean
 */
#include <omp.h>

int main(void)
{
	int a[8] = { 0 };

#pragma omp parallel num_threads(2)
#pragma omp single
	{
#pragma omp task depend(out : a [0:4])
		a[2] = 1;
#pragma omp task depend(in : a [0:4])
		a[3] = a[2];
	}
	return a[3] < 0;
}
