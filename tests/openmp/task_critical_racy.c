/*
 * Tasks and a critical section.
 * race: 18 21
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	int x = 0, y = 0;

#pragma omp parallel num_threads(2)
#pragma omp single
	{
#pragma omp task shared(x)
		{
#pragma omp critical
			x++;
		}
#pragma omp task shared(x, y)
		y = x++;
	}
	return y > 2;
}
