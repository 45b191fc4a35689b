/*
 * A task that may be merged has, or has not, variables of its own.
 * clean
 */
#include <omp.h>

int main(void)
{
	int x = 2, y = 0;

#pragma omp parallel num_threads(2)
#pragma omp single
	{
#pragma omp task shared(x) mergeable
		x++;
#pragma omp taskwait
		y = x;
	}
	return y < 0;
}
