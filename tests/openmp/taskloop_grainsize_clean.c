/*
 * Iterations in one task are in order, those of two are not.
 * clean
 */
#include <omp.h>

int main(void)
{
	int a[33] = { 0 };

#pragma omp parallel num_threads(3)
#pragma omp single
	{
#pragma omp taskloop num_tasks(1)
		for (int i = 0; i < 32; i++)
			a[i + 1] = a[i] + 1;
	}
	return a[32] < 0;
}
