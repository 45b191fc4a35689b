/*
 * Tasks that are cancelled.
 * race: 18 18
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
			x++;
#pragma omp cancel taskgroup if (x > 100)
		}
	}
	return x < 0;
}
