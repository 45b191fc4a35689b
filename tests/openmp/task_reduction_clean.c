/*
 * Tasks that take part in a reduction.
 * clean
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	int sum = 0;

#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp taskgroup task_reduction(+ : sum)
	for (int i = 0; i < 4; i++) {
#pragma omp task in_reduction(+ : sum)
		sum += i;
	}
	return sum - 6;
}
