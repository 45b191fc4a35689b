/*
 * Taskwait waits for children, not for their children.
 * clean
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	int x = 0, y = 0;

#pragma omp parallel num_threads(2)
#pragma omp single
	{
#pragma omp task shared(x)
		{
#pragma omp task shared(x)
			x = 1;
#pragma omp taskwait
		}
#pragma omp taskwait
		y = x;
	}
	return y - 1;
}
