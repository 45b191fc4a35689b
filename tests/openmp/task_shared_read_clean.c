/*
 * A task reads a shared variable under a lock; that it only reads it must not move the read.
 * clean
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	int x = 0, y = 0;

#pragma omp parallel
#pragma omp single
	{
#pragma omp task shared(x)
		{
#pragma omp critical
			x++;
		}
#pragma omp task shared(x, y) priority(2)
		{
#pragma omp critical
			y = x;
		}
	}
	return y > 1;
}
