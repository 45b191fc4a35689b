/*
 * taskwait waits for children, taskgroup for their children as well.
 * race: 18 22
 */
#include <omp.h>

int main(void)
{
	int x = 0, y;

#pragma omp parallel num_threads(3)
#pragma omp single
	{
		{
#pragma omp task
			{
#pragma omp task
				x = 1;
			}
		}
#pragma omp taskwait
		y = x;
	}
	return x < 0;
}
