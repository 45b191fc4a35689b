/*
 * Iterations wait for the one before.
 * race: 15 15
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	int a[12] = { 1 };

#pragma omp parallel for ordered(1) num_threads(3)
	for (int i = 1; i < 12; i++) {
#pragma omp ordered depend(sink : i - 2)
		a[i] = a[i - 1] + 1;
#pragma omp ordered depend(source)
	}
	return a[11] > 12;
}
