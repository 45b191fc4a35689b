/*
 * A task reads a variable that is shared without being named in a clause, under the lock.
 * clean
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	long total = 0;
	double seen = 0;

#pragma omp parallel
	{
#pragma omp single
		{
#pragma omp task
			{
#pragma omp critical(one)
				total += 2;
			}
#pragma omp task
			{
#pragma omp critical(one)
				seen = (double)total;
			}
		}
	}
	return seen > 2;
}
