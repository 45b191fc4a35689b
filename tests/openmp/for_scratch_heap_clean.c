/*
 * Scratch memory of each thread.
 * clean
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	int total = 0;

#pragma omp parallel num_threads(3)
	{
		int *scratch = malloc(4 * sizeof(int));

#pragma omp for reduction(+ : total)
		for (int i = 0; i < 9; i++) {
			scratch[0] = i;
			total += scratch[0];
		}
		free(scratch);
	}
	return total - 36;
}
