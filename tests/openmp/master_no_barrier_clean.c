/*
 * Master has no barrier at its end.
 * clean
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	int x = 0, y[3];

#pragma omp parallel num_threads(3)
	{
#pragma omp master
		x = 1;
#pragma omp barrier
		y[omp_get_thread_num()] = x;
	}
	return y[0] - 1;
}
