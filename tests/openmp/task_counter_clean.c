/*
 * Tasks that add to one counter.
 * clean
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	int x = 0;

#pragma omp parallel num_threads(2)
#pragma omp single
	for (int i = 0; i < 4; i++) {
#pragma omp task shared(x)
		{
#pragma omp atomic
			x++;
		}
	}
	return x - 4;
}
