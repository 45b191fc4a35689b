/*
 * A task that may be merged has, or has not, variables of its own.
 * race: 15 16
 */
#include <omp.h>

int main(void)
{
	int x = 2, y = 0;

#pragma omp parallel num_threads(2)
#pragma omp single
	{
#pragma omp task shared(x) mergeable
		x++;
		y = x;
	}
	return y < 0;
}
