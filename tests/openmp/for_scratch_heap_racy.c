/*
 * Scratch memory of each thread.
 * race: 16 17
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	int *scratch = malloc(4 * sizeof(int)), total = 0;

#pragma omp parallel num_threads(3)
	{
#pragma omp for reduction(+ : total)
		for (int i = 0; i < 9; i++) {
			scratch[0] = i;
			total += scratch[0];
		}
	}
	free(scratch);
	return total < 0;
}
