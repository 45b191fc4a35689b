/*
 * Tasks of two iterations, each waited for in its own: one thread may do one after the other, others not.
 * Here nothing is shared by two of them.
 * clean
 */
#include <stdlib.h>

int main(void)
{
	int sums[4] = { 0 };

#pragma omp parallel for num_threads(1)
	for (int i = 0; i < 4; i++) {
#pragma omp task shared(sums)
		sums[i] += i;
#pragma omp taskwait
	}
	return sums[3] < 0;
}
