/*
 * masked has no barrier of its own.
 * clean
 */
#include <omp.h>

int main(void)
{
	int x = 0, sum = 0;

#pragma omp parallel num_threads(3) reduction(+ : sum)
	{
#pragma omp masked
		x = 5;
#pragma omp barrier
		sum += x;
	}
	return sum > 15;
}
