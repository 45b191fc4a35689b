/*
 * Tasks of two iterations, each waited for in its own: one thread may do one after the other, others not.
 * race: 14 14
 */
#include <stdlib.h>

int main(void)
{
	int sum = 0;

#pragma omp parallel for num_threads(1)
	for (int i = 0; i < 4; i++) {
#pragma omp task shared(sum)
		sum += i;
#pragma omp taskwait
	}
	return sum < 0;
}
