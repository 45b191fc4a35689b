/*
 * lastprivate takes the value of the last section; a shared variable may be written by any.
 * race: 14 16
 */
#include <omp.h>

int main(void)
{
	int x = 0;

#pragma omp parallel sections num_threads(2)
	{
#pragma omp section
		x = 1;
#pragma omp section
		x = 2;
	}
	return x < 0;
}
