/*
 * A value given to all threads of the team.
 * clean
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	int sum = 0;

#pragma omp parallel num_threads(3) reduction(+ : sum)
	{
		int x;

#pragma omp single copyprivate(x)
		x = 5;
		sum += x;
	}
	return sum != 15;
}
