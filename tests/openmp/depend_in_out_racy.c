/*
 * A reader after a writer.
 * race: 16 18
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	int x = 0, y = 0, other;

#pragma omp parallel num_threads(2)
#pragma omp single
	{
#pragma omp task shared(x) depend(out : x)
		x = 1;
#pragma omp task shared(x, y) depend(in : other)
		y = x;
	}
	return y > 1;
}
