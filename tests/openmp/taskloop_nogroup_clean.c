/*
 * Without its group, a taskloop is not waited for.
 * clean
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	int a[8] = { 0 }, y;

#pragma omp parallel num_threads(2)
#pragma omp single
	{
#pragma omp taskloop num_tasks(4) shared(a)
		for (int i = 0; i < 8; i++)
			a[i] = 1;
		y = a[3];
	}
	return y - 1;
}
