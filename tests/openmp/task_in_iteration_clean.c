/*
 * Tasks of two iterations, each waited for in its own: one thread may do one after the other, others not.
 * Here nothing is shared by two of them.
 * clean
 */
#include <stdlib.h>

int main(int argc, char **argv)
{
	int sums[4] = { 0 };

	(void)argv;
#pragma omp parallel for if (argc > 5)
	for (int i = 0; i < 4; i++) {
#pragma omp task shared(sums)
		sums[i] += i;
#pragma omp taskwait
	}
	return sums[3] < 0;
}
