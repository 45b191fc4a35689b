/*
 * Atomic on a floating-point number.
 * clean
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	double x = 0;

#pragma omp parallel num_threads(3)
	{
#pragma omp atomic
		x += 0.5;
	}
	return x != 1.5;
}
