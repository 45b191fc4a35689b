/*
 * A thread that has had its part of an ordered loop does not wait for later iterations.
 * race: 17 19
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	int n = 0, seen = 0;

#pragma omp parallel num_threads(3)
	{
#pragma omp for ordered nowait
		for (int i = 0; i < 9; i++) {
#pragma omp ordered
			n++;
		}
		seen |= n > 0;
	}
	return seen > 1;
}
