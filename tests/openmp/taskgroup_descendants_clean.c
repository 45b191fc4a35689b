/*
 * taskwait waits for children, taskgroup for their children as well.
 * clean
 */
#include <omp.h>

int main(void)
{
	int x = 0, y;

#pragma omp parallel num_threads(3)
#pragma omp single
	{
#pragma omp taskgroup
		{
#pragma omp task
			{
#pragma omp task
				x = 1;
			}
		}
		y = x;
	}
	return x < 0;
}
