/*
 * Sections without a barrier.
 * clean
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	int x = 0, y[2] = { 0 };

#pragma omp parallel num_threads(2)
	{
#pragma omp sections
		{
#pragma omp section
			x = 1;
#pragma omp section
			;
		}
		y[omp_get_thread_num()] = x;
	}
	return y[0] - 1;
}
