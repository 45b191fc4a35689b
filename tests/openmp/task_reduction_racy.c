/*
 * Tasks that take part in a reduction.
 * race: 17 17
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	int sum = 0;

#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp taskgroup
	for (int i = 0; i < 4; i++) {
#pragma omp task shared(sum)
		sum += i;
	}
	return sum < 0;
}
