/*
 * Iterations of a taskloop.
 * clean
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	int sum = 0;

#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp taskloop grainsize(2) reduction(+ : sum)
	for (int i = 0; i < 8; i++)
		sum += i;
	return sum - 28;
}
