/*
 * Taskgroup waits for all descendants.
 * race: 16 22
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
		x = 1;
#pragma omp taskgroup
		{
#pragma omp task
			;
		}
		y = x;
	}
	return y > 1;
}
