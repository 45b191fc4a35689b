/*
 * Tasks of two iterations, each waited for in its own: one thread may do one after the other, others not.
 * race: 15 15
 */
#include <stdlib.h>

int main(int argc, char **argv)
{
	int sum = 0;

	(void)argv;
#pragma omp parallel for if (argc > 5)
	for (int i = 0; i < 4; i++) {
#pragma omp task shared(sum)
		sum += i;
#pragma omp taskwait
	}
	return sum < 0;
}
