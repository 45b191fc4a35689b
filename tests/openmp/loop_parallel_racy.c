/*
 * Iterations of a loop construct may run in any order, and at the same time.
 * race: 14 14
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	int a[16] = { 1 };

#pragma omp parallel loop
	for (int i = 1; i < 16; i++)
		a[i] = a[i - 1] + 1;
	return a[15] > 16;
}
