/*
 * Iterations of `loop` are concurrent.
 * race: 15 15
 */
#include <omp.h>

static int a[33];

int main(void)
{
#pragma omp parallel num_threads(3)
	{
#pragma omp loop
		for (int i = 0; i < 32; i++)
			a[i + 1] = a[i] + 1;
	}
	return a[32] < 0;
}
