/*
 * Two tasks are parallel, even if one thread happens to run both; in a region of one thread they
 * take turns.
 * clean
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	int x = 0;

#pragma omp parallel num_threads(1)
	{
#pragma omp task shared(x)
		x++;
#pragma omp task shared(x)
		x++;
	}
	return x - 2;
}
