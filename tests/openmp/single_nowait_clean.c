/*
 * A single without a barrier.
 * clean
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	int x = 0, y[3];

#pragma omp parallel num_threads(3)
	{
#pragma omp single
		x = 7;
		y[omp_get_thread_num()] = x;
	}
	return y[0] - 7;
}
