/*
 * One access outside of the critical section.
 * race: 15 16
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	int x = 0, y[3];

#pragma omp parallel num_threads(3)
	{
#pragma omp critical
		x++;
		y[omp_get_thread_num()] = x;
	}
	return y[0] > 3;
}
