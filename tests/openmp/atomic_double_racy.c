/*
 * Atomic on a floating-point number.
 * race: 13 13
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	double x = 0;

#pragma omp parallel num_threads(3)
	x += 0.5;
	return x > 2;
}
