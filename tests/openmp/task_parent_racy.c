/*
 * The parent goes on while its task runs.
 * race: 16 17
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	int x = 0, y = 0;

#pragma omp parallel num_threads(2)
#pragma omp single
	{
#pragma omp task shared(x)
		x = 1;
		y = x;
	}
	return y > 1;
}
