/*
 * A kernel on the host in two regions at once.
 * clean
 */
#include <omp.h>

int main(void)
{
	int x = 0;

#pragma omp parallel num_threads(2)
#pragma omp single
	{
#pragma omp target map(tofrom : x) nowait
		x += 1;
#pragma omp taskwait
#pragma omp target map(tofrom : x) nowait
		x += 2;
#pragma omp taskwait
	}
	return x < 0;
}
