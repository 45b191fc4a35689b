/*
 * Priority is a wish, not an order.
 * clean
 */
#include <omp.h>

int main(void)
{
	int x = 0;

#pragma omp parallel num_threads(2)
#pragma omp single
	{
#pragma omp task priority(10)
		x = 1;
#pragma omp taskwait
#pragma omp task priority(1)
		x = 2;
	}
	return x < 0;
}
