/*
 * A loop construct in a region: its scalar is private, and the barrier at its end orders.
 * clean
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	int a[16], b[16], t;

#pragma omp parallel
	{
#pragma omp loop bind(parallel) private(t)
		for (int i = 0; i < 16; i++) {
			t = i;
			a[i] = t;
		}
#pragma omp loop bind(parallel)
		for (int i = 0; i < 16; i++)
			b[i] = a[15 - i];
	}
	return b[15] != 0 || b[0] != 15;
}
