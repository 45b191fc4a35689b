/*
 * Two tasks are parallel, even if there is only one thread.
 * clean
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	int x = 0;

#pragma omp parallel num_threads(1)
	{
#pragma omp task shared(x)
		x = 1;
#pragma omp taskwait
#pragma omp task shared(x)
		x = 2;
	}
	return x - 2;
}
