/*
 * A taskloop with and without the reduction.
 * clean
 */
#include <omp.h>

int main(void)
{
	int sum = 0;

#pragma omp parallel num_threads(3)
#pragma omp single
	{
#pragma omp taskloop reduction(+ : sum) num_tasks(4)
		for (int i = 0; i < 16; i++)
			sum += i;
	}
	return sum < 0;
}
