/*
 * The result of a reduction is there after the barrier.
 * race: 14 17
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	int sum = 0, seen[3] = { 0 };

#pragma omp parallel num_threads(3)
	{
#pragma omp for reduction(+ : sum) nowait
		for (int i = 0; i < 9; i++)
			sum += i;
		seen[omp_get_thread_num()] = sum;
	}
	return seen[0] > 36;
}
