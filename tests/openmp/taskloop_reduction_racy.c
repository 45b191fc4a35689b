/*
 * A taskloop with and without the reduction.
 * race: 16 16
 */
#include <omp.h>

int main(void)
{
	int sum = 0;

#pragma omp parallel num_threads(3)
#pragma omp single
	{
#pragma omp taskloop num_tasks(4) shared(sum)
		for (int i = 0; i < 16; i++)
			sum += i;
	}
	return sum < 0;
}
