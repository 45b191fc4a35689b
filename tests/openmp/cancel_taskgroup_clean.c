/*
 * Tasks that are cancelled.
 * clean
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	int x = 0;

#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp taskgroup
	for (int i = 0; i < 3; i++) {
#pragma omp task shared(x)
		{
#pragma omp atomic
			x++;
#pragma omp cancel taskgroup
		}
	}
	return x < 0;
}
