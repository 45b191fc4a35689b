/*
 * Three tasks in a row by depend, or one that is left out of it.
 * race: 15 17 19
 */
#include <omp.h>

int main(void)
{
	int x = 0, y = 0;

#pragma omp parallel num_threads(3)
#pragma omp single
	{
#pragma omp task depend(out : x)
		x = 1;
#pragma omp task depend(inout : x)
		x++;
#pragma omp task depend(in : y)
		y = x;
	}
	return y < 0;
}
