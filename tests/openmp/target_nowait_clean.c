/*
 * A target region that is not waited for.
 * clean
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	int x = 0, y;

#pragma omp parallel num_threads(2)
#pragma omp single
	{
#pragma omp target nowait map(tofrom : x)
		x = 1;
#pragma omp taskwait
		y = x;
	}
	return y - 1;
}
