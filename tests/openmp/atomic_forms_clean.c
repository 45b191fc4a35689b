/*
 * Read, write, update, capture, compare.
 * clean
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	int x = 0;

#pragma omp parallel num_threads(2)
	{
		int seen, old;

#pragma omp atomic write
		x = 4;
#pragma omp atomic read
		seen = x;
#pragma omp atomic update
		x = x * 3;
#pragma omp atomic capture
		{
			old = x;
			x = seen;
		}
#pragma omp atomic compare
		if (x == 4) {
			x = 5;
		}
		(void)old;
	}
	return 0;
}
