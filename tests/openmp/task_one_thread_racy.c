/*
 * Two tasks are parallel, even if one thread happens to run both; in a region of one thread they
 * take turns.
 * race: 17 19
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	int x = 0;

#pragma omp parallel num_threads(2)
#pragma omp single
	{
#pragma omp task shared(x)
		x = 1;
#pragma omp task shared(x)
		x = 2;
	}
	return x > 2;
}
