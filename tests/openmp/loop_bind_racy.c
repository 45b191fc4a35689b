/*
 * A loop construct in a region: a scalar that all iterations write.
 * race: 16 16
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	int last = 0, a[16];

#pragma omp parallel
#pragma omp loop bind(parallel) order(concurrent)
	for (int i = 0; i < 16; i++) {
		a[i] = i;
		last = i;
	}
	return a[last] > 16;
}
