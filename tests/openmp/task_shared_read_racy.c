/*
 * A task reads a shared variable before it takes the lock.
 * race: 18 22
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
#pragma omp task shared(x, y)
		{
			y = x;
#pragma omp critical
			y++;
		}
	}
	return y > 2;
}
